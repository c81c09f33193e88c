import { countInsecure } from '../insecure.ts';
import type { LockFacts, LockedPackage } from '../package.ts';
import { listEntries, getField, isPlain, tryParse, toText } from '../plain.ts';

const MODULES = 'node_modules/';
const MAX_REASON_LENGTH = 120;

/** Reads package-lock.json and npm-shrinkwrap.json of every version; null when malformed. */
export function readPackageLock(text: string): LockFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlain(root)) return null;
  const entries = isPlain(root['packages']) ? listPlaces(root['packages']) : listTree(root['dependencies']);
  return {
    role: 'lock',
    ecosystem: 'npm',
    manager: 'npm',
    packages: entries.flatMap(({ place, entry }) => readEntry(place, entry) ?? []),
    importers: readImporters(root['packages']),
    forced: [],
    insecure: countInsecure(
      entries.flatMap(({ entry }) => {
        const address = toText(getField(entry, 'resolved'));
        return address === null ? [] : [{ address, isChecked: toText(getField(entry, 'integrity')) !== null }];
      }),
    ),
  };
}

interface Entry {
  /** Install path, such as `node_modules/a/node_modules/b`. */
  readonly place: string;
  readonly entry: unknown;
}

function listPlaces(packages: unknown): readonly Entry[] {
  return listEntries(packages).map(([place, entry]) => ({ place, entry }));
}

/** Flattens the nested dependencies of a version 1 lock file. */
function listTree(dependencies: unknown): readonly Entry[] {
  const found: Entry[] = [];
  const open = [{ below: '', value: dependencies }];
  for (let next = open.pop(); next; next = open.pop())
    for (const [name, entry] of listEntries(next.value)) {
      // No rule reads deeper paths, and a hostile file would make them long.
      const place = next.below === '' ? MODULES + name : `${MODULES}x/${MODULES}${name}`;
      found.push({ place, entry });
      open.push({ below: place, value: getField(entry, 'dependencies') });
    }
  return found;
}

function readImporters(packages: unknown): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const folders = listEntries(packages).flatMap(([place]) => (place.includes(MODULES) ? [] : [[place, {}] as const]));
  return Object.fromEntries([['', {}], ...folders]);
}

function readEntry(place: string, entry: unknown): LockedPackage | null {
  const at = place.lastIndexOf(MODULES);
  if (at < 0 || !isPlain(entry)) return null;
  const installed = place.slice(at + MODULES.length);
  const name = toText(entry['name']) ?? installed;
  const isTop = !place.slice(0, at).includes(MODULES);
  const owner = isTop ? { at: place.slice(0, at).replace(/\/$/, '') } : {};
  // A link is a workspace package, which has no registry version.
  if (entry['link'] === true) return isTop ? { name: installed, version: '', ...owner } : null;
  const version = toText(entry['version']) ?? '';
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

/** Version 1 lock files store an address as the version of a package that is not from a registry. */
function isArchive(version: string): boolean {
  return /[:/]/.test(version);
}

/** Reads a license field; old packages have an object or a list instead of an SPDX expression. */
export function readLicense(value: unknown): string | null {
  if (Array.isArray(value)) {
    const names = value.flatMap((one) => readLicense(one) ?? []);
    return names.length === 0 ? null : names.join(' OR ');
  }
  return toText(value) ?? toText(getField(value, 'type'));
}
