import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding, joinNames } from '../finding.ts';
import type { LockFacts, LockedPackage } from '../packages/package.ts';
import { listFoldersAbove, type PlacedFacts, type Project } from '../project.ts';

/** Version count of one package above which updates are no longer the likely cause. */
const MANY_VERSIONS = 4;

export function findLockedPackages(project: Project): readonly RawFinding[] {
  return project.locks.flatMap((lock) => [
    ...findWithoutIntegrity(lock),
    ...findDeprecated(lock, directNames(project, lock)),
    ...findManyVersions(lock),
    ...findInstallScripts(lock),
  ]);
}

/** Collects the names that the manifests of a lock file depend on directly. */
function directNames(project: Project, { folder, facts }: PlacedFacts<LockFacts>): ReadonlySet<string> {
  return new Set(
    project.manifests
      .filter((one) => one.facts.ecosystem === facts.ecosystem && listFoldersAbove(one.folder).includes(folder))
      .flatMap(({ facts: { wanted } }) => wanted.map(({ name }) => name)),
  );
}

function findWithoutIntegrity({ path, facts }: PlacedFacts<LockFacts>): readonly RawFinding[] {
  const names = facts.packages.filter(({ lacksIntegrity }) => lacksIntegrity === true).map(label);
  if (names.length === 0) return [];
  const values = { count: names.length, total: facts.packages.length, names: joinNames(names) };
  return [createFinding('dependencies/no-integrity', { path, severity: 'low', evidence: joinNames(names), values })];
}

/** Finds deprecated packages; direct dependencies are more severe, because this project can replace them. */
function findDeprecated({ path, facts }: PlacedFacts<LockFacts>, direct: ReadonlySet<string>): readonly RawFinding[] {
  const deprecated = facts.packages.filter((one) => one.deprecated !== undefined);
  // npm also has nested versions of the same name that only other packages see.
  const isDirect = (one: LockedPackage): boolean =>
    direct.has(one.alias ?? one.name) && (facts.manager !== 'npm' || one.at !== undefined);
  const names = [...new Set(deprecated.filter((one) => !isDirect(one)).map(label))];
  return [
    ...deprecated.filter(isDirect).map((one) =>
      createFinding('dependencies/deprecated', {
        path,
        severity: 'low',
        evidence: `${label(one)}: ${one.deprecated ?? ''}`,
        values: { name: one.name, version: one.version },
        identity: one.name,
      }),
    ),
    ...(names.length === 0
      ? []
      : [
          createFinding('dependencies/deprecated-below', {
            path,
            severity: 'info',
            evidence: joinNames(names),
            values: { count: names.length, names: joinNames(names) },
          }),
        ]),
  ];
}

function findManyVersions({ path, facts }: PlacedFacts<LockFacts>): readonly RawFinding[] {
  // go.sum also lists versions that no build uses.
  if (facts.manager === 'go') return [];
  const versions = new Map<string, Set<string>>();
  for (const { name, version } of facts.packages)
    if (version !== '') versions.set(name, (versions.get(name) ?? new Set()).add(version));
  const many = [...versions]
    .filter(([, set]) => set.size >= MANY_VERSIONS)
    .toSorted(([a, one], [b, other]) => other.size - one.size || (a < b ? -1 : 1));
  if (many.length === 0) return [];
  const names = joinNames(many.map(([name, { size }]) => `${name} (${size})`));
  return [
    createFinding('dependencies/many-versions', {
      path,
      severity: 'info',
      evidence: names,
      values: { count: many.length, versions: MANY_VERSIONS, names },
    }),
  ];
}

function findInstallScripts({ path, facts }: PlacedFacts<LockFacts>): readonly RawFinding[] {
  const scripted = new Map(facts.packages.filter((one) => one.hasInstallScript).map((one) => [one.name, one]));
  return [...scripted.values()].map((one) =>
    createFinding('dependencies/install-script', {
      path,
      severity: 'info',
      evidence: label(one),
      values: { name: one.name, version: one.version },
      identity: one.name,
    }),
  );
}

function label({ name, version }: LockedPackage): string {
  return `${name}@${version}`;
}
