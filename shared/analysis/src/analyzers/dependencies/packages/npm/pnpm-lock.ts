import { insecureOf } from '../insecure.ts';
import type { LockFacts, Locked } from '../package.ts';
import { entriesOf, fieldOf, isPlain, parsed, pathOf, textOf } from '../plain.ts';
import { forcedNames } from './package-json.ts';

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/** Reads pnpm-lock.yaml of formats 5 to 9; null when malformed. */
export async function readPnpmLock(text: string): Promise<LockFacts | null> {
  const { loadAll, JSON_SCHEMA } = await import('js-yaml');
  // Newer releases put a document about pnpm itself first.
  const documents = parsed(() => loadAll(text, { schema: JSON_SCHEMA }));
  const root = Array.isArray(documents) ? documents.findLast(isPlain) : null;
  if (!isPlain(root) || root['lockfileVersion'] === undefined) return null;
  const entries = entriesOf(root['packages']);
  return {
    role: 'lock',
    ecosystem: 'npm',
    manager: 'pnpm',
    packages: entries.flatMap(([key, entry]) => readEntry(key, entry) ?? []),
    importers: readImporters(root),
    forced: forcedNames(root['overrides']),
    insecure: insecureOf(
      entries.flatMap(([, entry]) => {
        const address = textOf(pathOf(entry, 'resolution', 'tarball'));
        return address === null ? [] : [{ address, isChecked: hasIntegrity(entry) }];
      }),
    ),
  };
}

function readImporters(root: Readonly<Record<string, unknown>>): LockFacts['importers'] & {} {
  const importers = isPlain(root['importers']) ? entriesOf(root['importers']) : [['.', root] as const];
  return Object.fromEntries(
    importers.map(([path, importer]) => [
      path === '.' ? '' : path,
      Object.fromEntries([
        ...entriesOf(fieldOf(importer, 'specifiers')).map(([name, range]) => [name, textOf(range) ?? '']),
        ...GROUPS.flatMap((group) => entriesOf(fieldOf(importer, group))).flatMap(([name, one]) =>
          isPlain(one) ? [[name, textOf(one['specifier']) ?? '']] : [],
        ),
      ]),
    ]),
  );
}

/** Matches `a@1.0.0` and `/a@1.0.0(b@2.0.0)`; format 5 has `/a/1.0.0_b@2.0.0`. */
const KEY = /^\/?((?:@[^/@]+\/)?[^/@]+)@([^(]+)/;
const OLD_KEY = /^\/((?:@[^/@]+\/)?[^/@]+)\/(\d[^/_(]*)/;

function readEntry(key: string, entry: unknown): Locked | null {
  const [, name, given] = OLD_KEY.exec(key) ?? KEY.exec(key) ?? [];
  const type = textOf(pathOf(entry, 'resolution', 'type'));
  if (type === 'directory') return null;
  const version = textOf(fieldOf(entry, 'version')) ?? (given !== undefined && /^\d/.test(given) ? given : '');
  const isRegistry = given !== undefined && /^\d/.test(given) && type === null;
  const deprecated = textOf(fieldOf(entry, 'deprecated'));
  return {
    name: name ?? textOf(fieldOf(entry, 'name')) ?? key.slice(0, 200),
    version,
    ...(fieldOf(entry, 'dev') === true ? { isDev: true } : {}),
    ...(isRegistry && !hasIntegrity(entry) ? { lacksIntegrity: true } : {}),
    ...(deprecated === null ? {} : { deprecated: deprecated.slice(0, 120) }),
    ...(fieldOf(entry, 'requiresBuild') === true ? { hasInstallScript: true } : {}),
  };
}

function hasIntegrity(entry: unknown): boolean {
  return textOf(pathOf(entry, 'resolution', 'integrity')) !== null;
}
