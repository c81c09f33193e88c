import { countInsecure } from '../insecure.ts';
import { createLockFileFacts, type LockedPackage, type LockFileFacts } from '../package.ts';
import { listEntries, getField, isPlainObject, tryParse, getNestedField, toText } from '../plain.ts';
import { listOverrides } from './package-json.ts';

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/** Reads pnpm-lock.yaml of formats 5 to 9; null when malformed. */
export async function readPnpmLock(text: string): Promise<LockFileFacts | null> {
  const { loadAll, JSON_SCHEMA } = await import('js-yaml');
  // Newer pnpm releases write a first document about pnpm itself.
  const documents = tryParse(() => loadAll(text, { schema: JSON_SCHEMA }));
  const root = Array.isArray(documents) ? documents.findLast(isPlainObject) : null;
  if (!isPlainObject(root) || root['lockfileVersion'] === undefined) return null;
  const entries = listEntries(root['packages']);
  return createLockFileFacts('npm', 'pnpm', {
    packages: entries.flatMap(([key, entry]) => readEntry(key, entry) ?? []),
    importers: readImporters(root),
    forced: listOverrides(root['overrides']),
    insecure: countInsecure(
      entries.map(([, entry]) => ({
        address: toText(getNestedField(entry, 'resolution', 'tarball')),
        isChecked: hasIntegrity(entry),
      })),
    ),
  });
}

function readImporters(root: Readonly<Record<string, unknown>>): LockFileFacts['importers'] & {} {
  const importers = isPlainObject(root['importers']) ? listEntries(root['importers']) : [['.', root] as const];
  return Object.fromEntries(
    importers.map(([path, importer]) => [
      path === '.' ? '' : path,
      Object.fromEntries([
        ...listEntries(getField(importer, 'specifiers')).map(([name, range]) => [name, toText(range) ?? '']),
        ...GROUPS.flatMap((group) => listEntries(getField(importer, group))).flatMap(([name, one]) =>
          isPlainObject(one) ? [[name, toText(one['specifier']) ?? '']] : [],
        ),
      ]),
    ]),
  );
}

/** Matches `a@1.0.0` and `/a@1.0.0(b@2.0.0)`; format 5 has `/a/1.0.0_b@2.0.0`. */
const KEY = /^\/?((?:@[^/@]+\/)?[^/@]+)@([^(]+)/;
const OLD_KEY = /^\/((?:@[^/@]+\/)?[^/@]+)\/(\d[^/_(]*)/;

function readEntry(key: string, entry: unknown): LockedPackage | null {
  const [, name, given] = OLD_KEY.exec(key) ?? KEY.exec(key) ?? [];
  const type = toText(getNestedField(entry, 'resolution', 'type'));
  if (type === 'directory') return null;
  const version = toText(getField(entry, 'version')) ?? (given !== undefined && /^\d/.test(given) ? given : '');
  const isRegistry = given !== undefined && /^\d/.test(given) && type === null;
  const deprecated = toText(getField(entry, 'deprecated'));
  return {
    name: name ?? toText(getField(entry, 'name')) ?? key.slice(0, 200),
    version,
    ...(getField(entry, 'dev') === true ? { isDev: true } : {}),
    ...(isRegistry && !hasIntegrity(entry) ? { lacksIntegrity: true } : {}),
    ...(deprecated === null ? {} : { deprecated: deprecated.slice(0, 120) }),
    ...(getField(entry, 'requiresBuild') === true ? { hasInstallScript: true } : {}),
  };
}

function hasIntegrity(entry: unknown): boolean {
  return toText(getNestedField(entry, 'resolution', 'integrity')) !== null;
}
