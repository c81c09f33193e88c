import type { Analyzer, Fact } from '../../analyzer.ts';
import type { PackageFacts } from './packages/package.ts';
import { isLockFile, namesPackages, readPackages } from './packages/read-packages.ts';
import { assembleProject, listPackages, type Project } from './project.ts';
import { findBrokenLocks, findRivalLocks, findMissingLocks } from './rules/lock-files.ts';
import { findLockedPackages } from './rules/locked-packages.ts';
import { findForeignOrigins, findInsecure } from './rules/origins.ts';
import { findOutOfStep } from './rules/out-of-step.ts';
import { findAnyVersion, findUnpinned } from './rules/ranges.ts';

const RULES = [
  findMissingLocks,
  findRivalLocks,
  findBrokenLocks,
  findOutOfStep,
  findForeignOrigins,
  findInsecure,
  findAnyVersion,
  findUnpinned,
  findLockedPackages,
];

/** Checks manifests and lock files, and whether they agree. */
export const DEPENDENCIES_ANALYZER: Analyzer<PackageFacts> = {
  name: 'dependencies',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => namesPackages(path),
  inspect: readPackages,
  conclude: (noted, view) => {
    const project = assembleProject(noted, view);
    const read = new Set(noted.map(({ path }) => path));
    const unread = view.files
      .map(({ path }) => path)
      .filter((path) => namesPackages(path) && isLockFile(path) && !read.has(path));
    return {
      found: RULES.flatMap((find) => find(project)),
      summary: { ...summarize(project), unread: unread.slice(0, 20) },
      packages: listPackages(project),
    };
  },
};

function summarize({ manifests, locks }: Project): { readonly [name: string]: Fact } {
  const packages = locks.flatMap(({ facts }) => (facts.manager === 'go' ? [] : facts.packages));
  const wanted = manifests.flatMap(({ facts }) => facts.wanted);
  return {
    manifests: manifests
      .filter(({ facts }) => facts.wanted.length > 0)
      .map(({ path }) => path)
      .slice(0, 50),
    locks: locks
      .map(({ path, facts }) => ({ path, manager: facts.manager, packages: facts.packages.length }))
      .slice(0, 50),
    direct: wanted.length,
    directForDevelopment: wanted.filter(({ isDev }) => isDev === true).length,
    locked: packages.length,
  };
}
