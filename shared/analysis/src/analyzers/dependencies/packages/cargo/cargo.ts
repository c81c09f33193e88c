import type { LockFacts, LockedPackage, ManifestFacts, Origin, Dependency } from '../package.ts';
import { listEntries, getField, isPlain, indexNameLines, toList, tryParse, getPath, toText } from '../plain.ts';

/** Reads Cargo.toml; null when it is not valid TOML. */
export async function readCargoToml(text: string): Promise<ManifestFacts | null> {
  const { parse } = await import('smol-toml');
  const root = tryParse(() => parse(text));
  if (root === null) return null;
  const lineOf = indexNameLines(text);
  const targets = listEntries(getField(root, 'target')).map(([, target]) => target);
  const read = (group: string, isDev: boolean): readonly Dependency[] =>
    [root, ...targets].flatMap((part) =>
      listEntries(getField(part, group)).flatMap(([name, value]) => readWanted(name, value, isDev, lineOf(name)) ?? []),
    );
  const shared = getPath(root, 'workspace', 'dependencies');
  const sharedWanted = listEntries(shared).flatMap(
    ([name, value]) => readWanted(name, value, false, lineOf(name)) ?? [],
  );
  return {
    role: 'manifest',
    ecosystem: 'crates.io',
    manager: 'cargo',
    name: toText(getPath(root, 'package', 'name')),
    isLibrary: toList(getField(root, 'bin')).length === 0,
    members: getField(root, 'workspace') === undefined ? [] : ['**'],
    // Dependencies of the workspace are in use only when a member refers to them.
    wanted: [
      ...read('dependencies', false),
      ...read('dev-dependencies', true),
      ...read('build-dependencies', true),
      ...sharedWanted.filter(({ origin }) => origin !== undefined),
    ],
    forced: listEntries(getField(root, 'patch')).flatMap(([, patches]) => listEntries(patches).map(([name]) => name)),
    insecure: [],
  };
}

/** Reads Cargo.lock; null when it is malformed. */
export async function readCargoLock(text: string): Promise<LockFacts | null> {
  const { parse } = await import('smol-toml');
  const root = tryParse(() => parse(text));
  if (!isPlain(root)) return null;
  // The first format lists checksums in `metadata` at the end.
  const hasOldHashes = listEntries(root['metadata']).some(([key]) => key.startsWith('checksum '));
  const packages = toList(root['package']).flatMap((entry): readonly LockedPackage[] => {
    const name = toText(getField(entry, 'name'));
    if (name === null) return [];
    const source = toText(getField(entry, 'source'));
    const lacks =
      source?.startsWith('registry+') === true && !hasOldHashes && toText(getField(entry, 'checksum')) === null;
    // Packages without a source belong to the workspace.
    const version = source === null ? '' : (toText(getField(entry, 'version')) ?? '');
    return [{ name, version, ...(lacks ? { lacksIntegrity: true } : {}) }];
  });
  return { role: 'lock', ecosystem: 'crates.io', manager: 'cargo', packages, forced: [], insecure: [] };
}

function readWanted(name: string, value: unknown, isDev: boolean, line: number | undefined): Dependency | null {
  const package_ = toText(getField(value, 'package')) ?? name;
  const common = {
    name: package_,
    ...(isDev ? { isDev: true as const } : {}),
    ...(line === undefined ? {} : { line }),
  };
  const origin = readOrigin(value);
  const range = toText(value) ?? toText(getField(value, 'version'));
  if (getField(value, 'workspace') === true) return { ...common, range: null };
  return { ...common, range: origin ? null : range, ...(origin ? { origin } : {}) };
}

function readOrigin(value: unknown): Origin | null {
  const git = toText(getField(value, 'git'));
  if (git !== null) return { kind: 'git', at: git, isPinned: toText(getField(value, 'rev')) !== null };
  const path = toText(getField(value, 'path'));
  return path === null ? null : { kind: 'path', at: path, isPinned: true };
}
