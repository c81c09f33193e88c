import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding, joinNames } from '../finding.ts';
import type { ManifestFacts, Dependency } from '../packages/package.ts';
import { joinPath, buildPackageKey, type LocatedFacts, type PackageFiles } from '../project.ts';
import { findLockFiles } from './lock-files.ts';

const ANY = new Set(['*', 'x', 'latest', 'next', 'canary', '>=0', '>=0.0.0', '>0']);

/** Finds dependencies that allow any version, except in requirements files, which have a rule of their own. */
export function findUnboundedRanges(project: PackageFiles): readonly RawFinding[] {
  return project.manifests.flatMap((manifest) => {
    const { path, facts } = manifest;
    if (facts.manager === 'pip' || facts.manager === 'go') return [];
    const isLocked = findLockFiles(project, manifest).length > 0;
    // Pipenv writes `*` by default and relies on its lock file.
    if (facts.manager === 'pipenv' && isLocked) return [];
    return facts.wanted
      .filter(({ name, range }) => isAny(facts, range) && !project.own.has(buildPackageKey(facts.ecosystem, name)))
      .map(({ name, range, line }) =>
        createFinding('dependencies/any-version', {
          path,
          line,
          severity: isLocked ? 'low' : 'medium',
          evidence: `${name} ${range ?? ''}`,
          values: { name, range: range ?? '' },
          identity: name,
        }),
      );
  });
}

function isAny({ ecosystem, isLibrary }: ManifestFacts, range: string | null): boolean {
  if (range === null) return false;
  // A Python library leaves the choice of version to the program that installs it.
  if (ecosystem === 'PyPI') return !isLibrary && range === '*';
  return ANY.has(range.trim()) || (ecosystem === 'npm' && range.trim() === '');
}

/** Finds Python requirements of a program that are not pinned to a version. */
export function findUnpinned(project: PackageFiles): readonly RawFinding[] {
  return project.manifests.flatMap((manifest) => {
    const { path, facts } = manifest;
    if (facts.manager !== 'pip' || isLibrary(project, manifest)) return [];
    const loose = facts.wanted.filter(({ range }) => range !== null && !/^===?[^*]+$/.test(range));
    const [first] = loose;
    if (!first) return [];
    return createFinding('dependencies/unpinned', {
      path,
      line: first.line,
      severity: severityOf(loose),
      evidence: loose
        .slice(0, 5)
        .map(({ name, range }) => name + (range ?? ''))
        .join(', '),
      values: { count: loose.length, total: facts.wanted.length, names: joinNames(loose.map(({ name }) => name)) },
    });
  });
}

/** An upper bound on the range, or use in development only, makes the finding less severe. */
function severityOf(loose: readonly Dependency[]): RawFinding['severity'] {
  if (loose.every(({ isDev }) => isDev === true)) return 'info';
  return loose.some(({ range }) => !/[<~]|==/.test(range ?? '')) ? 'medium' : 'low';
}

/** True when a package manifest is in the folder of the requirements file; that manifest then decides about the versions. */
function isLibrary(project: PackageFiles, { folder }: LocatedFacts<ManifestFacts>): boolean {
  const isDescribed = ['setup.py', 'setup.cfg'].some((name) => project.paths.has(joinPath(folder, name)));
  return (
    isDescribed ||
    project.manifests.some((one) => one.folder === folder && one.facts.ecosystem === 'PyPI' && one.facts.isLibrary)
  );
}
