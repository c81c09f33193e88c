import type { LockFacts, Locked, ManifestFacts, Origin, Wanted } from '../package.ts';
import { entriesOf, fieldOf, isPlain, linesOfNames, listOf, parsed, pathOf, textOf } from '../plain.ts';

/** Reads Cargo.toml; null when it is not valid TOML. */
export async function readCargoToml(text: string): Promise<ManifestFacts | null> {
  const { parse } = await import('smol-toml');
  const root = parsed(() => parse(text));
  if (root === null) return null;
  const lineOf = linesOfNames(text);
  const targets = entriesOf(fieldOf(root, 'target')).map(([, target]) => target);
  const read = (group: string, isDev: boolean): readonly Wanted[] =>
    [root, ...targets].flatMap((part) =>
      entriesOf(fieldOf(part, group)).flatMap(([name, value]) => readWanted(name, value, isDev, lineOf(name)) ?? []),
    );
  const shared = pathOf(root, 'workspace', 'dependencies');
  const sharedWanted = entriesOf(shared).flatMap(([name, value]) => readWanted(name, value, false, lineOf(name)) ?? []);
  return {
    role: 'manifest',
    ecosystem: 'crates.io',
    manager: 'cargo',
    name: textOf(pathOf(root, 'package', 'name')),
    isLibrary: listOf(fieldOf(root, 'bin')).length === 0,
    members: fieldOf(root, 'workspace') === undefined ? [] : ['**'],
    // Dependencies of the workspace are in use only when a member refers to them.
    wanted: [
      ...read('dependencies', false),
      ...read('dev-dependencies', true),
      ...read('build-dependencies', true),
      ...sharedWanted.filter(({ origin }) => origin !== undefined),
    ],
    forced: entriesOf(fieldOf(root, 'patch')).flatMap(([, patches]) => entriesOf(patches).map(([name]) => name)),
    insecure: [],
  };
}

/** Reads Cargo.lock; null when it is malformed. */
export async function readCargoLock(text: string): Promise<LockFacts | null> {
  const { parse } = await import('smol-toml');
  const root = parsed(() => parse(text));
  if (!isPlain(root)) return null;
  // The first format lists checksums in `metadata` at the end.
  const hasOldHashes = entriesOf(root['metadata']).some(([key]) => key.startsWith('checksum '));
  const packages = listOf(root['package']).flatMap((entry): readonly Locked[] => {
    const name = textOf(fieldOf(entry, 'name'));
    if (name === null) return [];
    const source = textOf(fieldOf(entry, 'source'));
    const lacks =
      source?.startsWith('registry+') === true && !hasOldHashes && textOf(fieldOf(entry, 'checksum')) === null;
    // Packages without a source belong to the workspace.
    const version = source === null ? '' : (textOf(fieldOf(entry, 'version')) ?? '');
    return [{ name, version, ...(lacks ? { lacksIntegrity: true } : {}) }];
  });
  return { role: 'lock', ecosystem: 'crates.io', manager: 'cargo', packages, forced: [], insecure: [] };
}

function readWanted(name: string, value: unknown, isDev: boolean, line: number | undefined): Wanted | null {
  const package_ = textOf(fieldOf(value, 'package')) ?? name;
  const common = {
    name: package_,
    ...(isDev ? { isDev: true as const } : {}),
    ...(line === undefined ? {} : { line }),
  };
  const origin = readOrigin(value);
  const range = textOf(value) ?? textOf(fieldOf(value, 'version'));
  if (fieldOf(value, 'workspace') === true) return { ...common, range: null };
  return { ...common, range: origin ? null : range, ...(origin ? { origin } : {}) };
}

function readOrigin(value: unknown): Origin | null {
  const git = textOf(fieldOf(value, 'git'));
  if (git !== null) return { kind: 'git', at: git, isPinned: textOf(fieldOf(value, 'rev')) !== null };
  const path = textOf(fieldOf(value, 'path'));
  return path === null ? null : { kind: 'path', at: path, isPinned: true };
}
