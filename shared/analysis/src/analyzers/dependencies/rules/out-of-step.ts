import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding } from '../finding.ts';
import type { LockFileFacts, LockedPackage, ManifestFacts, Dependency } from '../packages/package.ts';
import {
  listFoldersAbove,
  isWorkspaceMember,
  buildPackageKey,
  getRelativeFolder,
  type LocatedFacts,
  type PackageFiles,
} from '../project.ts';
import { satisfiesRange } from '../versions.ts';
import { findLockFiles } from './lock-files.ts';

/** Returns the locked versions that a dependency forbids, or empty for a missing package; null when one version fits. */
type FindMismatch = (wanted: Dependency) => string | null;

/** Finds dependencies that are missing from the lock file or locked in a version that the manifest forbids. */
export function findLockMismatches(project: PackageFiles): readonly RawFinding[] {
  const forcedBy = project.manifests.flatMap(({ folder, facts }) => facts.forced.map((name) => ({ folder, name })));
  return project.manifests.flatMap((manifest) =>
    findLockFiles(project, manifest).flatMap((lock) => {
      const findMismatch = chooseComparison(manifest, lock, project);
      if (!findMismatch) return [];
      // An override in the manifest or the root manifest may differ from the range on purpose.
      const forced = new Set([
        ...lock.facts.forced,
        ...forcedBy.filter(({ folder }) => listFoldersAbove(manifest.folder).includes(folder)).map(({ name }) => name),
      ]);
      return manifest.facts.wanted.flatMap((wanted) => {
        const isChosen = wanted.isOptional !== true && !forced.has(wanted.name);
        const isOwn = project.own.has(buildPackageKey(manifest.facts.ecosystem, wanted.name));
        const has = isChosen && !isOwn ? findMismatch(wanted) : null;
        return has === null ? [] : [createMismatchFinding(manifest, lock, wanted, has)];
      });
    }),
  );
}

function createMismatchFinding(
  manifest: LocatedFacts<ManifestFacts>,
  lock: LocatedFacts<LockFileFacts>,
  wanted: Dependency,
  has: string,
): RawFinding {
  const { name, range, line } = wanted;
  return createFinding('dependencies/lock-out-of-step', {
    path: manifest.path,
    line,
    severity: 'medium',
    evidence: `${name} ${range ?? ''}`.trim(),
    values: { name, range: range ?? '', lock: lock.path, has, state: has === '' ? 'missing' : 'other' },
    identity: `${name} ${lock.path}`,
  });
}

/** Chooses how to compare a manifest with its lock file; null when the two need not agree. */
function chooseComparison(
  manifest: LocatedFacts<ManifestFacts>,
  lock: LocatedFacts<LockFileFacts>,
  project: PackageFiles,
): FindMismatch | null {
  const below = getRelativeFolder(lock.folder, manifest.folder) ?? '';
  const { facts } = lock;
  switch (facts.manager) {
    case 'npm':
      return Object.hasOwn(facts.importers ?? {}, below) ? compareNpm(facts, below) : null;
    case 'pnpm':
      return Object.hasOwn(facts.importers ?? {}, below) ? compareSpecifiers(facts.importers?.[below] ?? {}) : null;
    case 'yarn':
      return isOfYarn(project, lock, below) ? compareRanges(facts) : null;
    case 'go':
      return below === '' && manifest.facts.manager === 'go' ? compareGo(facts) : null;
    case 'poetry':
    case 'pipenv':
      return below === '' && manifest.facts.manager === facts.manager ? compareVersions(facts) : null;
    case 'uv':
    case 'cargo': {
      const isLocked = manifest.facts.name !== null && facts.packages.some((one) => isSame(one, manifest.facts.name));
      return isLocked && manifest.facts.manager !== 'pip' ? compareVersions(facts) : null;
    }
    default:
      return null;
  }
}

function isSame({ name, version }: LockedPackage, own: string | null): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '-');
  return version === '' && own !== null && plain(name) === plain(own);
}

/** Looks up a package as npm does: in the folder of the manifest, then in its parent folders. */
function compareNpm(lock: LockFileFacts, below: string): FindMismatch {
  const placed = new Map(
    lock.packages.flatMap((one) => (one.at === undefined ? [] : [[`${one.at}\n${one.alias ?? one.name}`, one]])),
  );
  return ({ name, range }) => {
    const one = listFoldersAbove(below).reduce<LockedPackage | undefined>(
      (found, at) => found ?? placed.get(`${at}\n${name}`),
      undefined,
    );
    if (!one) return '';
    return range === null || one.version === '' || satisfiesRange('npm', one.version, range) ? null : one.version;
  };
}

/** Compares the specifiers that pnpm copies into its lock file; pnpm refuses to install when they differ. */
function compareSpecifiers(importer: Readonly<Record<string, string>>): FindMismatch {
  return ({ name, range }) => {
    if (!Object.hasOwn(importer, name)) return '';
    return range === null || importer[name] === range ? null : (importer[name] ?? '');
  };
}

function isOfYarn(project: PackageFiles, lock: LocatedFacts<LockFileFacts>, below: string): boolean {
  if (below === '') return true;
  const root = project.manifests.find(({ folder, facts }) => folder === lock.folder && facts.members.length > 0);
  return isWorkspaceMember(root?.facts.members ?? [], below);
}

/** Compares a dependency with the version ranges that yarn.lock stores for each version. */
function compareRanges(lock: LockFileFacts): FindMismatch {
  return compareAny(
    lock.packages.map(({ name, alias = name, ranges = [] }) => [alias, ranges] as const),
    (locked, range) => locked === range,
  );
}

function compareGo(lock: LockFileFacts): FindMismatch {
  const hashed = new Set(lock.packages.map(({ name, version }) => `${name} ${version}`));
  return ({ name, range }) => (range === null || hashed.has(`${name} ${range}`) ? null : '');
}

/** Accepts a package when at least one of its locked versions satisfies the range. */
function compareVersions(lock: LockFileFacts): FindMismatch {
  return compareAny(
    lock.packages.map(({ name, version }) => [name, [version]] as const),
    (version, range) => version === '' || satisfiesRange(lock.ecosystem, version, range),
  );
}

function compareAny(
  entries: readonly (readonly [name: string, locked: readonly string[]])[],
  fits: (locked: string, range: string) => boolean,
): FindMismatch {
  const byName = new Map<string, string[]>();
  for (const [name, locked] of entries) byName.set(name, [...(byName.get(name) ?? []), ...locked]);
  return ({ name, range }) => {
    const locked = byName.get(name);
    if (!locked) return '';
    return range === null || locked.some((one) => fits(one, range)) ? null : locked.slice(0, 3).join(', ');
  };
}
