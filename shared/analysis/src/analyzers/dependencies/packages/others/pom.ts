import { createManifestFacts, type LockedPackage, type ManifestFacts } from '../package.ts';

type Element = { readonly name: string; readonly children: Element[]; text: string };

/** Maximum depth; deeper elements of a hostile file are left out. */
const MAX_DEPTH = 50;

/** Reads the dependencies of a pom.xml whose versions it states, also through properties; null when malformed. */
export async function readPom(text: string): Promise<ManifestFacts | null> {
  const root = await parseXml(text);
  if (root?.name !== 'project') return null;
  const properties = new Map<string, string>();
  for (const { name, text: value } of getChild(root, 'properties')?.children ?? []) properties.set(name, value.trim());
  for (const name of ['version', 'groupId', 'artifactId']) {
    const value = readText(root, name) || readText(getChild(root, 'parent'), name);
    properties.set(`project.${name}`, value);
  }
  const fill = (value: string): string =>
    value.replaceAll(/\$\{([\w.-]{1,200})\}/g, (whole, name: string) => properties.get(name) ?? whole);
  const managed = new Map<string, string>();
  for (const one of listDependencies(getChild(root, 'dependencyManagement')))
    managed.set(fill(one.key), fill(one.version));
  const packages = [
    ...listDependencies(root),
    ...(getChild(root, 'profiles')?.children ?? []).flatMap(listDependencies),
    ...(getChild(getChild(root, 'build'), 'plugins')?.children ?? []).flatMap(listDependencies),
  ].flatMap(({ key, version, scope }): readonly LockedPackage[] => {
    const name = fill(key);
    const stated = fill(version) || (managed.get(name) ?? '');
    // The version of a parent or a range is known to Maven alone.
    if (name.includes('$')) return [];
    return [{ name, version: /^\d[\w.+-]*$/.test(stated) ? stated : '', ...(scope === 'test' ? { isDev: true } : {}) }];
  });
  return createManifestFacts('Maven', 'maven', { name: fill(keyOf(root)), packages });
}

function listDependencies(above: Element | undefined) {
  const found = (getChild(above, 'dependencies')?.children ?? []).filter(({ name }) => name === 'dependency');
  return found.map((one) => ({ key: keyOf(one), version: readText(one, 'version'), scope: readText(one, 'scope') }));
}

function keyOf(element: Element): string {
  return `${readText(element, 'groupId')}:${readText(element, 'artifactId')}`;
}

function getChild(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((one) => one.name === name);
}

function readText(element: Element | undefined, name: string): string {
  return getChild(element, name)?.text.trim().slice(0, 200) ?? '';
}

/** Parses XML without entities of its own and without loading anything; null when malformed. */
async function parseXml(text: string): Promise<Element | undefined> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser();
  const root: Element = { name: '', children: [], text: '' };
  const open = [root];
  let skipped = 0;
  parser.on('opentag', ({ name }) => {
    if (open.length >= MAX_DEPTH) skipped += 1;
    else {
      const element = { name, children: [], text: '' };
      open.at(-1)?.children.push(element);
      open.push(element);
    }
  });
  parser.on('text', (part) => {
    const element = open.at(-1);
    if (element) element.text += part;
  });
  parser.on('closetag', () => {
    if (skipped > 0) skipped -= 1;
    else open.pop();
  });
  parser.on('error', (error) => {
    throw error;
  });
  try {
    parser.write(text).close();
    return root.children[0];
  } catch {
    return undefined;
  }
}
