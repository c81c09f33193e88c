import { countInsecure } from '../insecure.ts';
import { createLockFileFacts, type LockedPackage, type LockFileFacts } from '../package.ts';
import { listEntries, getField, isPlainObject, tryParse, toText } from '../plain.ts';

const MODULES = 'node_modules/';
const MAX_REASON_LENGTH = 120;

/** Reads package-lock.json and npm-shrinkwrap.json in all lock file versions; null when malformed. */
export function readPackageLock(text: string): LockFileFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlainObject(root)) return null;
  const entries = isPlainObject(root['packages'])
    ? listEntries(root['packages']).map(([path, entry]) => ({ path, entry }))
    : listTree(root['dependencies']);
  return createLockFileFacts('npm', 'npm', {
    packages: entries.flatMap(({ path, entry }) => readEntry(path, entry) ?? []),
    importers: readImporters(root['packages']),
    insecure: countInsecure(
      entries.map(({ entry }) => ({
        address: toText(getField(entry, 'resolved')),
        isChecked: toText(getField(entry, 'integrity')) !== null,
      })),
    ),
  });
}

interface Entry {
  /** Install path, such as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly entry: unknown;
}

/** Flattens the nested dependencies of a version 1 lock file. */
function listTree(dependencies: unknown): readonly Entry[] {
  const found: Entry[] = [];
  const open = [{ below: '', value: dependencies }];
  for (let next = open.pop(); next; next = open.pop())
    for (const [name, entry] of listEntries(next.value)) {
      // Rules read only top-level paths; in a hostile file, deeper paths could grow without limit.
      const path = next.below === '' ? MODULES + name : `${MODULES}x/${MODULES}${name}`;
      found.push({ path, entry });
      open.push({ below: path, value: getField(entry, 'dependencies') });
    }
  return found;
}

function readImporters(packages: unknown): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const folders = listEntries(packages).flatMap(([path]) => (path.includes(MODULES) ? [] : [[path, {}] as const]));
  return Object.fromEntries([['', {}], ...folders]);
}

function readEntry(path: string, entry: unknown): LockedPackage | null {
  const at = path.lastIndexOf(MODULES);
  if (at < 0 || !isPlainObject(entry)) return null;
  const installed = path.slice(at + MODULES.length);
  // In lock files of version 1, the version of an alias names the real package.
  const [, aliased, aliasedVersion] = /^npm:(@?[^@]+)@(.+)$/s.exec(toText(entry['version']) ?? '') ?? [];
  const name = toText(entry['name']) ?? aliased ?? installed;
  const isTop = !path.slice(0, at).includes(MODULES);
  const owner = isTop ? { at: path.slice(0, at).replace(/\/$/, '') } : {};
  // A `link` entry is a workspace package, which has no registry version.
  if (entry['link'] === true) return isTop ? { name: installed, version: '', ...owner } : null;
  const version = aliasedVersion ?? toText(entry['version']) ?? '';
  const resolved = toText(entry['resolved']) ?? '';
  const isRegistry = /^https?:.*\.tgz$/.test(resolved) && !isArchive(version);
  const deprecated = toText(entry['deprecated']);
  const license = readLicense(entry['license']);
  return {
    name,
    version: isArchive(version) ? '' : version,
    ...(name === installed ? {} : { alias: installed }),
    ...owner,
    ...(entry['dev'] === true || entry['devOptional'] === true ? { isDev: true } : {}),
    ...(license === null ? {} : { license }),
    ...(isRegistry && entry['integrity'] === undefined && entry['inBundle'] !== true ? { lacksIntegrity: true } : {}),
    ...(deprecated === null ? {} : { deprecated: deprecated.slice(0, MAX_REASON_LENGTH) }),
    ...(entry['hasInstallScript'] === true ? { hasInstallScript: true } : {}),
  };
}

/** In lock files of version 1, a package that is not from a registry has an address as its version. */
function isArchive(version: string): boolean {
  return /[:/]/.test(version);
}

/** Reads a license field, which in old packages is an object or a list instead of an SPDX expression. */
export function readLicense(value: unknown): string | null {
  if (Array.isArray(value)) {
    const names = value.flatMap((one) => readLicense(one) ?? []);
    return names.length === 0 ? null : names.join(' OR ');
  }
  return toText(value) ?? toText(getField(value, 'type'));
}
