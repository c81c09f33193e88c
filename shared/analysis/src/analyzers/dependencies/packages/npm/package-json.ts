import { countInsecure } from '../insecure.ts';
import { createManifestFacts, type Dependency, type ManifestFacts } from '../package.ts';
import { listEntries, isPlainObject, indexNameLines, tryParse, getNestedField, toText, listTexts } from '../plain.ts';

const GROUPS = {
  dependencies: {},
  devDependencies: { isDev: true },
  optionalDependencies: { isOptional: true },
} as const;

/** Reads package.json; null for a template or a malformed file. */
export function readPackageJson(text: string): ManifestFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlainObject(root)) return null;
  const lineOf = indexNameLines(text);
  const wanted: Dependency[] = [];
  for (const [group, traits] of Object.entries(GROUPS))
    for (const [name, range] of listEntries(root[group])) {
      if (typeof range !== 'string') continue;
      wanted.push({ name, ...readReference(range), ...traits, ...lineOf(name, range) });
    }
  const registry = toText(getNestedField(root, 'publishConfig', 'registry'));
  return createManifestFacts('npm', 'npm', {
    name: toText(root['name']),
    isLibrary: isLibrary(root),
    members: listTexts(getNestedField(root, 'workspaces', 'packages') ?? root['workspaces']),
    wanted,
    forced: [root['overrides'], root['resolutions'], getNestedField(root, 'pnpm', 'overrides')].flatMap(listOverrides),
    insecure: countInsecure(registry === null ? [] : [{ address: registry, ...lineOf('registry', registry) }]),
  });
}

/** Lists package names in npm overrides or yarn resolutions, such as `a`, `a@^1`, `b>a` and `**\/a`, including nested ones. */
export function listOverrides(forced: unknown): readonly string[] {
  const names: string[] = [];
  const open = [forced];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const [key, value] of listEntries(next)) {
      const name = FORCED.exec(key.slice(0, 300))?.[1];
      if (name !== undefined) names.push(name);
      if (isPlainObject(value)) open.push(value);
    }
  return names;
}

const FORCED = /(?:^|[>/])((?:@[\w.-]+\/)?[\w.-]+)(?:@[^>/]*)?$/;

function isLibrary(root: Readonly<Record<string, unknown>>): boolean {
  if (root['private'] === true || toText(root['name']) === null || toText(root['version']) === null) return false;
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
  const insecure = countInsecure(addresses);
  return insecure.length === 0 ? null : createManifestFacts('npm', 'npm', { insecure });
}

const COMMIT = /#[0-9a-f]{40}$/i;
const GIT = /^(?:git(?:\+\w+)?:|git@|ssh:|(?:github|gitlab|bitbucket|gist):)|^https?:[^#]*\.git(?:#|$)/i;
/** Matches `owner/name`, npm's short form for GitHub. */
const SHORT = /^[\w.-]+\/[\w.-]+(?:#.*)?$/;
const PATH = /^(?:file:|link:|portal:|\.{1,2}\/|\/|~\/)/;

function readReference(range: string): Pick<Dependency, 'range' | 'origin' | 'of'> {
  if (PATH.test(range)) return { range: null, origin: { kind: 'path', at: range, isPinned: true } };
  if (GIT.test(range) || SHORT.test(range))
    return { range: null, origin: { kind: 'git', at: range, isPinned: COMMIT.test(range) } };
  if (/^https?:/.test(range)) return { range: null, origin: { kind: 'url', at: range, isPinned: false } };
  const [, of] = /^npm:((?:@[^/@]+\/)?[^/@]+)(?:@.+)?$/.exec(range) ?? [];
  if (of !== undefined) return { range: null, of };
  return { range: /^(?:workspace|catalog|patch|jsr|npm|exec):/.test(range) ? null : range };
}
