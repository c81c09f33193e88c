import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { finding } from '../finding.ts';
import type { Ecosystem } from '../../../advisory-source.ts';
import type { ManifestFacts } from '../packages/package.ts';
import { LOCK_FILES } from '../packages/read-packages.ts';
import { findAbove, foldersAbove, inFolder, isMember, seenFrom, type Placed, type Project } from '../project.ts';

/** Lock file names by ecosystem. One is enough; two contradict each other. */
const LOCKS_OF: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: namesOf('package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock rush.json'),
  PyPI: namesOf('poetry.lock uv.lock Pipfile.lock pdm.lock pixi.lock pylock.toml conda-lock.yml'),
  Go: ['go.sum', 'go.work.sum'],
  'crates.io': ['Cargo.lock'],
};

/** Finds programs without a lock file. Libraries need none, because the programs that use them have one. */
export function findWithoutLock(project: Project): readonly RawFinding[] {
  return project.manifests.flatMap((manifest) => {
    const { path, folder, facts } = manifest;
    if (!needsLock(project, manifest) || findAbove(project, folder, LOCKS_OF[facts.ecosystem]) !== null) return [];
    const isOnlyTooling = facts.wanted.every(({ isDev }) => isDev === true);
    return finding('dependencies/no-lock-file', {
      path,
      severity: isOnlyTooling ? 'low' : 'medium',
      values: { count: facts.wanted.length },
    });
  });
}

function needsLock(project: Project, { path, folder, facts }: Placed<ManifestFacts>): boolean {
  const { manager, wanted, packages = [], isLibrary } = facts;
  if (manager === 'go') return packages.length > 0 && !project.paths.has(inFolder(folder, 'vendor/modules.txt'));
  if (!wanted.some(({ range }) => range !== null)) return false;
  const isOfWorkspace = project.manifests.some(
    (other) => other.path !== path && isMember(other.facts.members, seenFrom(other.folder, folder) ?? ''),
  );
  if (isOfWorkspace || findAbove(project, folder, ['pnpm-workspace.yaml', 'lerna.json']) !== null) return false;
  switch (manager) {
    case 'cargo':
      return !isLibrary || project.paths.has(inFolder(folder, 'src/main.rs'));
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
  const below = seenFrom(folder, path);
  return (
    below !== null &&
    /^(?:requirements\/)?[^/]*$/.test(below) &&
    below.slice(below.lastIndexOf('/') + 1).includes('requirements') &&
    below.endsWith('.txt')
  );
}

/** Finds lock files of different package managers side by side. */
export function findTwoLocks(project: Project): readonly RawFinding[] {
  const found: RawFinding[] = [];
  const folders = new Set(project.locks.map(({ folder }) => folder));
  for (const folder of folders)
    for (const names of [LOCKS_OF.npm, LOCKS_OF.PyPI]) {
      const there = names.filter((name) => name.includes('lock') && project.paths.has(inFolder(folder, name)));
      const others = there.filter((name) => managerOf(name) !== managerOf(there[0] ?? ''));
      const [first, second] = [there[0], others[0]];
      if (first === undefined || second === undefined) continue;
      found.push(
        finding('dependencies/two-lock-files', {
          path: inFolder(folder, second),
          severity: 'medium',
          values: { first, second },
          identity: first,
        }),
      );
    }
  return found;
}

function namesOf(names: string): readonly string[] {
  return names.split(' ');
}

function managerOf(name: string): string {
  const known = Object.hasOwn(LOCK_FILES, name) ? LOCK_FILES[name]?.manager : undefined;
  return known ?? (name.startsWith('bun.') ? 'bun' : name);
}

/** Finds malformed lock files. */
export function findBroken(project: Project): readonly RawFinding[] {
  return project.broken.map(({ path }) =>
    finding('dependencies/broken-lock-file', { path, severity: 'medium', values: {} }),
  );
}

/** Lists the lock files of a manifest: in its folder, or in the nearest folder above. */
export function locksOf(
  project: Project,
  { folder, facts }: Placed<ManifestFacts>,
): readonly Project['locks'][number][] {
  for (const above of foldersAbove(folder)) {
    const there = project.locks.filter((lock) => lock.folder === above && lock.facts.ecosystem === facts.ecosystem);
    if (there.length > 0) return there;
  }
  return [];
}
