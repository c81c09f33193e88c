import { groupUnread } from '@signalbox/contracts/repository/unread';
import { MAX_LARGE_BYTES, type Analyzer, type JsonValue } from '../../analyzer.ts';
import type { PackageFacts } from './packages/package.ts';
import { isPackageFile, readPackages } from './packages/read-packages.ts';
import { listUnknownPackageFiles } from './packages/unknown.ts';
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
  maxBytes: MAX_LARGE_BYTES,
  wants: ({ path }) => isPackageFile(path),
  inspect: readPackages,
  conclude: (noted, view) => {
    const project = collectPackageFiles(noted, view);
    return {
      found: RULES.flatMap((find) => find(project)),
      summary: summarize(project),
      unread: [groupUnread('unknown-lock', listUnknownPackageFiles(project.paths))],
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
