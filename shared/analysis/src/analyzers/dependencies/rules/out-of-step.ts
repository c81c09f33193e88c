import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding } from '../finding.ts';
import type { LockFacts, LockedPackage, ManifestFacts, Dependency } from '../packages/package.ts';
import {
  listFoldersAbove,
  isMember,
  buildPackageKey,
  getRelativeFolder,
  type PlacedFacts,
  type Project,
} from '../project.ts';
import { satisfiesRange } from '../versions.ts';
import { findLockFiles } from './lock-files.ts';

/** The locked version that a range does not allow, or empty when the package is missing; null when it fits. */
type Mismatch = { readonly has: string } | null;

/** Finds dependencies that are missing from the lock file or locked in a version that the manifest forbids. */
export function findOutOfStep(project: Project): readonly RawFinding[] {
  const forcedBy = project.manifests.flatMap(({ folder, facts }) => facts.forced.map((name) => ({ folder, name })));
  return project.manifests.flatMap((manifest) =>
    findLockFiles(project, manifest).flatMap((lock) => {
      const compare = comparison(manifest, lock, project);
      if (!compare) return [];
      // An override in the manifest or the root may differ on purpose.
      const forced = new Set([
        ...lock.facts.forced,
        ...forcedBy.filter(({ folder }) => listFoldersAbove(manifest.folder).includes(folder)).map(({ name }) => name),
      ]);
      return manifest.facts.wanted.flatMap((wanted) => {
        const isChosen = wanted.isOptional !== true && !forced.has(wanted.name);
        const mismatch = isChosen && !isOwn(project, manifest, wanted) ? compare(wanted) : null;
        return mismatch ? [tell(manifest, lock, wanted, mismatch.has)] : [];
      });
    }),
  );
}

function tell(
  manifest: PlacedFacts<ManifestFacts>,
  lock: PlacedFacts<LockFacts>,
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

function isOwn(project: Project, { facts }: PlacedFacts<ManifestFacts>, { name }: Dependency): boolean {
  return project.own.has(buildPackageKey(facts.ecosystem, name));
}

/** Chooses how to compare a manifest with its lock file; null when they need not agree. */
function comparison(
  manifest: PlacedFacts<ManifestFacts>,
  lock: PlacedFacts<LockFacts>,
  project: Project,
): ((wanted: Dependency) => Mismatch) | null {
  const below = getRelativeFolder(lock.folder, manifest.folder) ?? '';
  const { facts } = lock;
  switch (facts.manager) {
    case 'npm':
      return Object.hasOwn(facts.importers ?? {}, below) ? compareNpm(facts, below) : null;
    case 'pnpm': {
      const importers = facts.importers ?? {};
      return Object.hasOwn(importers, below) ? compareSpecifiers(importers[below] ?? {}) : null;
    }
    case 'yarn':
      return isOfYarn(project, lock, below) ? compareYarn(facts) : null;
    case 'go':
      return below === '' && manifest.facts.manager === 'go' ? compareGo(facts) : null;
    case 'poetry':
    case 'pipenv':
      return below === '' && manifest.facts.manager === facts.manager ? compareVersions(facts) : null;
    case 'uv':
    case 'cargo': {
      const settles = manifest.facts.name !== null && facts.packages.some((one) => isSame(one, manifest.facts.name));
      return settles && manifest.facts.manager !== 'pip' ? compareVersions(facts) : null;
    }
    default:
      return null;
  }
}

function isSame({ name, version }: LockedPackage, own: string | null): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '-');
  return version === '' && own !== null && plain(name) === plain(own);
}

/** Looks up a package as npm does: in the manifest's folder, then in the folders above. */
function compareNpm(lock: LockFacts, below: string): (wanted: Dependency) => Mismatch {
  const placed = new Map(
    lock.packages.flatMap((one) => (one.at === undefined ? [] : [[`${one.at}\n${one.alias ?? one.name}`, one]])),
  );
  return ({ name, range }) => {
    const one = listFoldersAbove(below).reduce<LockedPackage | undefined>(
      (found, at) => found ?? placed.get(`${at}\n${name}`),
      undefined,
    );
    if (!one) return { has: '' };
    return range === null || one.version === '' || satisfiesRange('npm', one.version, range)
      ? null
      : { has: one.version };
  };
}

/** Compares the specifiers that pnpm copies into its lock file; pnpm refuses to install when they differ. */
function compareSpecifiers(importer: Readonly<Record<string, string>>): (wanted: Dependency) => Mismatch {
  return ({ name, range }) => {
    if (!Object.hasOwn(importer, name)) return { has: '' };
    return range === null || importer[name] === range ? null : { has: importer[name] ?? '' };
  };
}

function isOfYarn(project: Project, lock: PlacedFacts<LockFacts>, below: string): boolean {
  if (below === '') return true;
  const root = project.manifests.find(({ folder, facts }) => folder === lock.folder && facts.members.length > 0);
  return isMember(root?.facts.members ?? [], below);
}

/** Compares with the ranges that yarn stores for each version. */
function compareYarn(lock: LockFacts): (wanted: Dependency) => Mismatch {
  const ranges = new Map<string, string[]>();
  for (const one of lock.packages) ranges.set(one.name, [...(ranges.get(one.name) ?? []), ...(one.ranges ?? [])]);
  return ({ name, range }) => {
    const there = ranges.get(name);
    if (!there) return { has: '' };
    return range === null || there.includes(range) ? null : { has: there.slice(0, 3).join(', ') };
  };
}

function compareGo(lock: LockFacts): (wanted: Dependency) => Mismatch {
  const hashed = new Set(lock.packages.map(({ name, version }) => `${name} ${version}`));
  return ({ name, range }) => (range === null || hashed.has(`${name} ${range}`) ? null : { has: '' });
}

/** Accepts a package when at least one of its locked versions satisfies the range. */
function compareVersions(lock: LockFacts): (wanted: Dependency) => Mismatch {
  const versions = new Map<string, string[]>();
  for (const { name, version } of lock.packages) versions.set(name, [...(versions.get(name) ?? []), version]);
  return ({ name, range }) => {
    const there = versions.get(name);
    if (!there) return { has: '' };
    const fits = range === null || there.some((one) => one === '' || satisfiesRange(lock.ecosystem, one, range));
    return fits ? null : { has: there.slice(0, 3).join(', ') };
  };
}
