import type { Analyzer, JsonValue } from '../../analyzer.ts';
import type { PackageFacts } from './packages/package.ts';
import { isLockFile, isPackageFile, readPackages } from './packages/read-packages.ts';
import { collectPackageFiles, listPackages, type PackageFiles } from './project.ts';
import { findBrokenLocks, findCompetingLocks, findMissingLocks } from './rules/lock-files.ts';
import { findLockedPackageRisks } from './rules/locked-packages.ts';
import { findForeignOrigins, findInsecureServers } from './rules/origins.ts';
import { findLockMismatches } from './rules/out-of-step.ts';
import { findUnboundedRanges, findUnpinned } from './rules/ranges.ts';

const RULES = [
  findMissingLocks,
  findCompetingLocks,
  findBrokenLocks,
  findLockMismatches,
  findForeignOrigins,
  findInsecureServers,
  findUnboundedRanges,
  findUnpinned,
  findLockedPackageRisks,
];

/** Checks package manifests and lock files, and whether they agree with each other. */
export const DEPENDENCIES_ANALYZER: Analyzer<PackageFacts> = {
  name: 'dependencies',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => isPackageFile(path),
  inspect: readPackages,
  conclude: (noted, view) => {
    const project = collectPackageFiles(noted, view);
    const read = new Set(noted.map(({ path }) => path));
    const unread = view.files
      .map(({ path }) => path)
      .filter((path) => isPackageFile(path) && isLockFile(path) && !read.has(path));
    return {
      found: RULES.flatMap((find) => find(project)),
      summary: { ...summarize(project), unread: unread.slice(0, 20) },
      packages: listPackages(project),
    };
  },
};

function summarize({ manifests, locks }: PackageFiles): { readonly [name: string]: JsonValue } {
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
