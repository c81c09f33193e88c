import { createLockFileFacts, createManifestFacts } from '../package.ts';
import type { LockFileFacts, LockedPackage, ManifestFacts, PackageOrigin, Dependency } from '../package.ts';
import {
  getField,
  getNestedField,
  indexNameLines,
  listEntries,
  parseToml,
  readVersionRange,
  toList,
  toText,
} from '../plain.ts';

/** Reads Cargo.toml; null when it is not valid TOML. */
export async function readCargoToml(text: string): Promise<ManifestFacts | null> {
  const root = await parseToml(text);
  if (!root) return null;
  const lineOf = indexNameLines(text);
  const read = (table: unknown, isDev: boolean): readonly Dependency[] =>
    listEntries(table).map(([name, value]) => ({
      ...readDependency(name, value),
      ...(isDev ? { isDev: true } : {}),
      ...lineOf(name),
    }));
  const tables = [root, ...listEntries(root['target']).map(([, target]) => target)];
  const readGroup = (group: string, isDev: boolean): readonly Dependency[] =>
    tables.flatMap((table) => read(getField(table, group), isDev));
  const shared = read(getNestedField(root, 'workspace', 'dependencies'), false);
  return createManifestFacts('crates.io', 'cargo', {
    name: toText(getNestedField(root, 'package', 'name')),
    isLibrary: toList(root['bin']).length === 0,
    members: root['workspace'] === undefined ? [] : ['**'],
    // Dependencies of the workspace are used only when a member refers to them.
    wanted: [
      ...readGroup('dependencies', false),
      ...readGroup('dev-dependencies', true),
      ...readGroup('build-dependencies', true),
      ...shared.filter(({ origin }) => origin !== undefined),
    ],
    forced: listEntries(root['patch']).flatMap(([, patches]) => listEntries(patches).map(([name]) => name)),
  });
}

/** Reads Cargo.lock; null when it is malformed. */
export async function readCargoLock(text: string): Promise<LockFileFacts | null> {
  const root = await parseToml(text);
  if (!root) return null;
  // Format 1 of Cargo.lock lists checksums in `metadata` at the end.
  const hasOldHashes = listEntries(root['metadata']).some(([key]) => key.startsWith('checksum '));
  const packages = toList(root['package']).flatMap((entry): readonly LockedPackage[] => {
    const name = toText(getField(entry, 'name'));
    if (name === null) return [];
    const source = toText(getField(entry, 'source'));
    const lacks =
      source?.startsWith('registry+') === true && !hasOldHashes && toText(getField(entry, 'checksum')) === null;
    // A package without a source belongs to the workspace.
    const version = source === null ? '' : (toText(getField(entry, 'version')) ?? '');
    return [{ name, version, ...(lacks ? { lacksIntegrity: true } : {}) }];
  });
  return createLockFileFacts('crates.io', 'cargo', { packages });
}

function readDependency(key: string, value: unknown): Dependency {
  const name = toText(getField(value, 'package')) ?? key;
  if (getField(value, 'workspace') === true) return { name, range: null };
  const origin = readOrigin(value);
  return origin ? { name, range: null, origin } : { name, range: readVersionRange(value) };
}

function readOrigin(value: unknown): PackageOrigin | null {
  const git = toText(getField(value, 'git'));
  if (git !== null) return { kind: 'git', at: git, isPinned: toText(getField(value, 'rev')) !== null };
  const path = toText(getField(value, 'path'));
  return path === null ? null : { kind: 'path', at: path, isPinned: true };
}
