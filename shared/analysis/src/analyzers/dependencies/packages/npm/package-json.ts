import { insecureOf } from '../insecure.ts';
import type { ManifestFacts, Wanted } from '../package.ts';
import { entriesOf, isPlain, linesOfNames, parsed, pathOf, textOf, collectTexts } from '../plain.ts';
import { readReference } from './reference.ts';

const GROUPS = {
  dependencies: {},
  devDependencies: { isDev: true },
  optionalDependencies: { isOptional: true },
} as const;

/** Reads package.json; null for a template or a malformed file. */
export function readPackageJson(text: string): ManifestFacts | null {
  const root = parsed(() => JSON.parse(text));
  if (!isPlain(root)) return null;
  const lineOf = linesOfNames(text);
  const wanted: Wanted[] = [];
  for (const [group, traits] of Object.entries(GROUPS))
    for (const [name, range] of entriesOf(root[group])) {
      if (typeof range !== 'string') continue;
      const line = lineOf(name, range);
      wanted.push({ name, ...readReference(range), ...traits, ...(line === undefined ? {} : { line }) });
    }
  const registry = textOf(pathOf(root, 'publishConfig', 'registry'));
  return {
    role: 'manifest',
    ecosystem: 'npm',
    manager: 'npm',
    name: textOf(root['name']),
    isLibrary: isLibrary(root),
    members: collectTexts(pathOf(root, 'workspaces', 'packages') ?? root['workspaces']),
    wanted,
    forced: [root['overrides'], root['resolutions'], pathOf(root, 'pnpm', 'overrides')].flatMap(forcedNames),
    insecure: insecureOf(registry === null ? [] : [{ address: registry, line: lineOf('registry', registry) }]),
  };
}

/** Lists package names in npm overrides or yarn resolutions, such as `a`, `a@^1`, `b>a` and `**\/a`, including nested ones. */
export function forcedNames(forced: unknown): readonly string[] {
  const names: string[] = [];
  const open = [forced];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const [key, value] of entriesOf(next)) {
      const name = FORCED.exec(key.slice(0, 300))?.[1];
      if (name !== undefined) names.push(name);
      if (isPlain(value)) open.push(value);
    }
  return names;
}

const FORCED = /(?:^|[>/])((?:@[\w.-]+\/)?[\w.-]+)(?:@[^>/]*)?$/;

function isLibrary(root: Readonly<Record<string, unknown>>): boolean {
  if (root['private'] === true || textOf(root['name']) === null || textOf(root['version']) === null) return false;
  return ['main', 'module', 'exports', 'files', 'bin', 'types', 'publishConfig'].some((name) =>
    Object.hasOwn(root, name),
  );
}

/** Reads the registries in `.npmrc`. */
export function readNpmrc(text: string): ManifestFacts | null {
  const addresses = text.split('\n').flatMap((line, index) => {
    const given = /^\s*(?:@[\w.-]+:)?registry\s*=\s*"?([^\s"]+)/.exec(line.slice(0, 1_000));
    return given?.[1] === undefined ? [] : [{ address: given[1], line: index + 1 }];
  });
  const insecure = insecureOf(addresses);
  if (insecure.length === 0) return null;
  return {
    role: 'manifest',
    ecosystem: 'npm',
    manager: 'npm',
    name: null,
    isLibrary: false,
    members: [],
    wanted: [],
    forced: [],
    insecure,
  };
}
