import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding, joinNames } from '../finding.ts';
import type { LockFileFacts, LockedPackage } from '../packages/package.ts';
import { listFoldersAbove, type LocatedFacts, type PackageFiles } from '../project.ts';

/** Above this number of versions of one package, updates are no longer the likely cause. */
const MANY_VERSIONS = 4;

export function findLockedPackageRisks(project: PackageFiles): readonly RawFinding[] {
  return project.locks.flatMap((lock) => [
    ...findWithoutIntegrity(lock),
    ...findDeprecated(lock, listDirectNames(project, lock)),
    ...findManyVersions(lock),
    ...findInstallScripts(lock),
  ]);
}

function listDirectNames(project: PackageFiles, { folder, facts }: LocatedFacts<LockFileFacts>): ReadonlySet<string> {
  return new Set(
    project.manifests
      .filter((one) => one.facts.ecosystem === facts.ecosystem && listFoldersAbove(one.folder).includes(folder))
      .flatMap(({ facts: { wanted } }) => wanted.map(({ name }) => name)),
  );
}

function findWithoutIntegrity({ path, facts }: LocatedFacts<LockFileFacts>): readonly RawFinding[] {
  const names = facts.packages.filter(({ lacksIntegrity }) => lacksIntegrity === true).map(label);
  return findGroup('dependencies/no-integrity', path, 'low', names, { total: facts.packages.length });
}

/** Returns one finding for all given package names; no finding for an empty list. */
function findGroup(
  rule: string,
  path: string,
  severity: RawFinding['severity'],
  names: readonly string[],
  more: RawFinding['values'] = {},
): readonly RawFinding[] {
  if (names.length === 0) return [];
  const evidence = joinNames(names);
  return [createFinding(rule, { path, severity, evidence, values: { count: names.length, ...more, names: evidence } })];
}

function createPackageFinding(
  rule: string,
  path: string,
  severity: RawFinding['severity'],
  { name, version }: LockedPackage,
  evidence: string,
): RawFinding {
  return createFinding(rule, { path, severity, evidence, values: { name, version }, identity: name });
}

/** Finds deprecated packages; direct dependencies are more severe, because this project can replace them. */
function findDeprecated(
  { path, facts }: LocatedFacts<LockFileFacts>,
  direct: ReadonlySet<string>,
): readonly RawFinding[] {
  const deprecated = facts.packages.filter((one) => one.deprecated !== undefined);
  // npm also installs nested versions of the same package, which only other packages import.
  const isDirect = (one: LockedPackage): boolean =>
    direct.has(one.alias ?? one.name) && (facts.manager !== 'npm' || one.at !== undefined);
  const names = [...new Set(deprecated.filter((one) => !isDirect(one)).map(label))];
  return [
    ...deprecated
      .filter(isDirect)
      .map((one) =>
        createPackageFinding('dependencies/deprecated', path, 'low', one, `${label(one)}: ${one.deprecated ?? ''}`),
      ),
    ...findGroup('dependencies/deprecated-below', path, 'info', names),
  ];
}

function findManyVersions({ path, facts }: LocatedFacts<LockFileFacts>): readonly RawFinding[] {
  // go.sum also lists versions that no build uses.
  if (facts.manager === 'go') return [];
  const versions = new Map<string, Set<string>>();
  for (const { name, version } of facts.packages)
    if (version !== '') versions.set(name, (versions.get(name) ?? new Set()).add(version));
  const many = [...versions]
    .filter(([, set]) => set.size >= MANY_VERSIONS)
    .toSorted(([a, one], [b, other]) => other.size - one.size || (a < b ? -1 : 1));
  const names = many.map(([name, { size }]) => `${name} (${size})`);
  return findGroup('dependencies/many-versions', path, 'info', names, { versions: MANY_VERSIONS });
}

function findInstallScripts({ path, facts }: LocatedFacts<LockFileFacts>): readonly RawFinding[] {
  const scripted = new Map(facts.packages.filter((one) => one.hasInstallScript).map((one) => [one.name, one]));
  return [...scripted.values()].map((one) =>
    createPackageFinding('dependencies/install-script', path, 'info', one, label(one)),
  );
}

function label({ name, version }: LockedPackage): string {
  return `${name}@${version}`;
}
