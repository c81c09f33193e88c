import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding } from '../finding.ts';
import type { Ecosystem } from '../../../advisory-source.ts';
import type { ManifestFacts } from '../packages/package.ts';
import { LOCK_FILES } from '../packages/read-packages.ts';
import {
  findFileAbove,
  listFoldersAbove,
  joinPath,
  isWorkspaceMember,
  getRelativeFolder,
  type LocatedFacts,
  type PackageFiles,
} from '../project.ts';

/** Lock file names by ecosystem. Lock files of two package managers can contradict each other. */
const LOCKS_OF: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: 'package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock rush.json'.split(
    ' ',
  ),
  PyPI: 'poetry.lock uv.lock Pipfile.lock pdm.lock pixi.lock pylock.toml conda-lock.yml'.split(' '),
  Go: ['go.sum', 'go.work.sum'],
  'crates.io': ['Cargo.lock'],
  RubyGems: ['Gemfile.lock', 'gems.locked'],
  Packagist: ['composer.lock'],
  Maven: ['gradle.lockfile', 'pom.xml'],
  NuGet: ['packages.lock.json'],
};

/** Finds programs without a lock file. Libraries need none: the program that uses a library has the lock file. */
export function findMissingLocks(project: PackageFiles): readonly RawFinding[] {
  return project.manifests.flatMap((manifest) => {
    const { path, folder, facts } = manifest;
    if (!needsLock(project, manifest) || findFileAbove(project, folder, LOCKS_OF[facts.ecosystem]) !== null) return [];
    const isOnlyTooling = facts.wanted.every(({ isDev }) => isDev === true);
    return createFinding('dependencies/no-lock-file', {
      path,
      severity: isOnlyTooling ? 'low' : 'medium',
      values: { count: facts.wanted.length },
    });
  });
}

function needsLock(project: PackageFiles, { path, folder, facts }: LocatedFacts<ManifestFacts>): boolean {
  const { manager, wanted, packages = [], isLibrary } = facts;
  if (manager === 'go') return packages.length > 0 && !project.paths.has(joinPath(folder, 'vendor/modules.txt'));
  if (!wanted.some(({ range }) => range !== null)) return false;
  const isOfWorkspace = project.manifests.some(
    (other) =>
      other.path !== path && isWorkspaceMember(other.facts.members, getRelativeFolder(other.folder, folder) ?? ''),
  );
  if (isOfWorkspace || findFileAbove(project, folder, ['pnpm-workspace.yaml', 'lerna.json']) !== null) return false;
  switch (manager) {
    case 'cargo':
      return !isLibrary || project.paths.has(joinPath(folder, 'src/main.rs'));
    case 'pipenv':
      return true;
    case 'poetry':
    case 'uv':
      return !isLibrary && ![...project.paths].some((one) => isRequirements(one, folder));
    case 'pip':
      return false;
    default:
      return !isLibrary;
  }
}

function isRequirements(path: string, folder: string): boolean {
  const below = getRelativeFolder(folder, path);
  if (below === null || !/^(?:requirements\/)?[^/]*$/.test(below)) return false;
  const name = below.slice(below.lastIndexOf('/') + 1); // one pattern for all of it would take quadratic time
  return name.includes('requirements') && name.endsWith('.txt');
}

/** Finds folders with lock files of two package managers. */
export function findCompetingLocks(project: PackageFiles): readonly RawFinding[] {
  const found: RawFinding[] = [];
  const folders = new Set(project.locks.map(({ folder }) => folder));
  for (const folder of folders)
    for (const names of [LOCKS_OF.npm, LOCKS_OF.PyPI]) {
      const there = names.filter((name) => name.includes('lock') && project.paths.has(joinPath(folder, name)));
      const others = there.filter((name) => managerOf(name) !== managerOf(there[0] ?? ''));
      const [first, second] = [there[0], others[0]];
      if (first === undefined || second === undefined) continue;
      found.push(
        createFinding('dependencies/two-lock-files', {
          path: joinPath(folder, second),
          severity: 'medium',
          values: { first, second },
          identity: first,
        }),
      );
    }
  return found;
}

function managerOf(name: string): string {
  const known = Object.hasOwn(LOCK_FILES, name) ? LOCK_FILES[name]?.manager : undefined;
  return known ?? (name.startsWith('bun.') ? 'bun' : name);
}

/** Finds lock files that cannot be parsed. */
export function findBrokenLocks(project: PackageFiles): readonly RawFinding[] {
  return project.broken.map(({ path }) =>
    createFinding('dependencies/broken-lock-file', { path, severity: 'medium', values: {} }),
  );
}

/** Returns the lock files of a manifest, from its folder or the nearest parent folder. */
export function findLockFiles(
  project: PackageFiles,
  { folder, facts }: LocatedFacts<ManifestFacts>,
): PackageFiles['locks'] {
  for (const above of listFoldersAbove(folder)) {
    const there = project.locks.filter((lock) => lock.folder === above && lock.facts.ecosystem === facts.ecosystem);
    if (there.length > 0) return there;
  }
  return [];
}
