import { groupUnread } from '@signalbox/contracts/repository/unread';
import { SEVERITIES, type RawFinding, type Severity } from '@signalbox/contracts/repository/finding';
import type { AdvisoryHit, PackageVersion, Ecosystem } from '../../../advisory-source.ts';
import { MAX_LARGE_BYTES, type Analyzer, type FileFacts } from '../../../analyzer.ts';
import { isBill, readBill } from '../../reports/reports.ts';
import { createFinding } from '../finding.ts';
import { tryParse } from '../packages/plain.ts';
import { getFileName, isPackageFile, readPackages } from '../packages/read-packages.ts';
import { isShipped } from '../project.ts';

type UsedPackages = {
  /** True for a bill of materials, which repeats what lock files say. */
  readonly isBill?: true;
  readonly packages: readonly (readonly [ecosystem: Ecosystem, name: string, version: string, isDev: boolean])[];
};

/** Finds package versions with published vulnerabilities. */
export const ADVISORIES_ANALYZER: Analyzer<UsedPackages> = {
  name: 'advisories',
  version: 2,
  reach: 'commit',
  maxBytes: MAX_LARGE_BYTES,
  // go.sum lists unused versions, so the versions of Go modules come from go.mod.
  wants: ({ path }) => (isPackageFile(path) && isShipped(path) && getFileName(path) !== 'go.sum') || isBill(path),
  inspect: async (path, text) => {
    if (isBill(path)) {
      const listed =
        readBill(
          path,
          tryParse(() => JSON.parse(text)),
        )?.packages ?? [];
      const packages = listed.map(({ ecosystem, name, version }) => [ecosystem, name, version, false] as const);
      return packages.length === 0 ? null : { isBill: true, packages };
    }
    const facts = await readPackages(path, text);
    if (facts === null || facts.role === 'broken') return null;
    const packages = (facts.packages ?? [])
      .filter(({ version }) => version !== '')
      .map(({ name, version, isDev }) => [facts.ecosystem, name, version, isDev === true] as const);
    return packages.length === 0 ? null : { packages };
  },
  conclude: async (all, view) => {
    const noted = withoutRepeated(all);
    const packages = distinct(noted);
    const counts = { packages: packages.length };
    const unread = [groupUnread('no-advisories', [], Math.max(1, packages.length))];
    const { advisories: source } = view;
    if (source === null)
      return { found: [], unread, summary: { looked: false, why: 'no source of advisories is configured', ...counts } };
    const answer = packages.length === 0 ? ({ outcome: 'answered', hits: [] } as const) : await source.find(packages);
    const from = { source: source.describe() };
    if (answer.outcome === 'unavailable')
      return { found: [], unread, summary: { looked: false, why: answer.reason, ...from, ...counts } };
    const found = noted.flatMap((one) => findIn(one, answer.hits));
    return { found, summary: { looked: true, weaknesses: found.length, ...from, ...counts } };
  },
};

function keyOf({ ecosystem, name, version }: PackageVersion): string {
  return `${ecosystem} ${name} ${version}`;
}

function distinct(noted: readonly FileFacts<UsedPackages>[]): readonly PackageVersion[] {
  const all = noted.flatMap(({ facts: { packages } }) =>
    packages.map(([ecosystem, name, version]) => ({ ecosystem, name, version })),
  );
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}

/** Leaves out packages of bills of materials that a manifest, a lock file or an earlier bill names as well. */
function withoutRepeated(noted: readonly FileFacts<UsedPackages>[]): readonly FileFacts<UsedPackages>[] {
  const others = noted.filter(({ facts }) => !facts.isBill);
  const known = new Set(distinct(others).map(keyOf));
  const bills = noted.flatMap((one) => {
    if (!one.facts.isBill) return [];
    const packages = one.facts.packages.filter(([ecosystem, name, version]) => {
      const key = keyOf({ ecosystem, name, version });
      return !known.has(key) && known.add(key);
    });
    return [{ ...one, facts: { ...one.facts, packages } }];
  });
  return [...others, ...bills];
}

/** Returns one finding per package and vulnerability, with the highest severity of its advisory records and versions. */
function findIn({ path, facts }: FileFacts<UsedPackages>, hits: readonly AdvisoryHit[]): readonly RawFinding[] {
  const hitsByPackage = new Map<string, AdvisoryHit[]>();
  for (const hit of hits)
    hitsByPackage.set(keyOf(hit.package), [...(hitsByPackage.get(keyOf(hit.package)) ?? []), hit]);
  const worst = new Map<string, { readonly hit: AdvisoryHit; readonly severity: Severity }>();
  for (const [ecosystem, name, version, isDev] of facts.packages)
    for (const hit of hitsByPackage.get(keyOf({ ecosystem, name, version })) ?? []) {
      const key = `${name} ${weaknessOf(hit)}`;
      const severity = rateHit(hit, isDev);
      const known = worst.get(key);
      if (!known || rank(severity) > rank(known.severity)) worst.set(key, { hit, severity });
    }
  return [...worst].map(([identity, { hit, severity }]) => {
    const { name, version } = hit.package;
    const id = weaknessOf(hit);
    const ids = id === hit.id ? id : `${id}, ${hit.id}`;
    return createFinding('advisories/known-weakness', {
      path,
      severity,
      evidence: hit.summary,
      values: { name, version, id: ids, fixed: hit.fixed ?? '', state: hit.fixed === null ? 'open' : 'fixed' },
      identity,
    });
  });
}

/** Prefers the CVE id, because several databases describe the same vulnerability. */
function weaknessOf({ id, aliases }: AdvisoryHit): string {
  return [id, ...aliases].filter((one) => one.startsWith('CVE-')).sort()[0] ?? id;
}

const SEVERITY_OF_WORD: Readonly<Record<string, Severity>> = {
  LOW: 'low',
  MODERATE: 'medium',
  MEDIUM: 'medium',
  HIGH: 'high',
  CRITICAL: 'critical',
};

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** Takes the severity from the CVSS score if the advisory has one; development dependencies get at most `medium`. */
function rateHit({ id, score, word }: AdvisoryHit, isDev: boolean): Severity {
  // Malicious packages have no score and harm everybody who installs them.
  if (id.startsWith('MAL-')) return 'critical';
  const severity = score === null ? (SEVERITY_OF_WORD[word ?? ''] ?? 'medium') : rateScore(score);
  return isDev && rank(severity) > rank('medium') ? 'medium' : severity;
}

function rateScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}
