import { groupUnread } from '@signalbox/contracts/repository/unread';
import { SEVERITIES, type RawFinding, type Severity } from '@signalbox/contracts/repository/finding';
import type { AdvisoryHit, PackageVersion, Ecosystem } from '../../../advisory-source.ts';
import { MAX_LARGE_BYTES, type Analyzer, type FileFacts } from '../../../analyzer.ts';
import { createFinding } from '../finding.ts';
import { getFileName, isPackageFile, readPackages } from '../packages/read-packages.ts';
import { isShipped } from '../project.ts';

type UsedPackages = {
  readonly ecosystem: Ecosystem;
  readonly packages: readonly (readonly [name: string, version: string, isDev: boolean])[];
};

/** Finds package versions with published vulnerabilities. */
export const ADVISORIES_ANALYZER: Analyzer<UsedPackages> = {
  name: 'advisories',
  version: 1,
  reach: 'commit',
  maxBytes: MAX_LARGE_BYTES,
  // go.sum lists unused versions, so the versions of Go modules come from go.mod.
  wants: ({ path }) => isPackageFile(path) && isShipped(path) && getFileName(path) !== 'go.sum',
  inspect: async (path, text) => {
    const facts = await readPackages(path, text);
    if (facts === null || facts.role === 'broken') return null;
    const packages = (facts.packages ?? [])
      .filter(({ version }) => version !== '')
      .map(({ name, version, isDev }) => [name, version, isDev === true] as const);
    return packages.length === 0 ? null : { ecosystem: facts.ecosystem, packages };
  },
  conclude: async (noted, view) => {
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
  const all = noted.flatMap(({ facts: { ecosystem, packages } }) =>
    packages.map(([name, version]) => ({ ecosystem, name, version })),
  );
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}

/** Returns one finding per package and vulnerability, with the highest severity of its advisory records and versions. */
function findIn({ path, facts }: FileFacts<UsedPackages>, hits: readonly AdvisoryHit[]): readonly RawFinding[] {
  const hitsByPackage = new Map<string, AdvisoryHit[]>();
  for (const hit of hits)
    hitsByPackage.set(keyOf(hit.package), [...(hitsByPackage.get(keyOf(hit.package)) ?? []), hit]);
  const worst = new Map<string, { readonly hit: AdvisoryHit; readonly severity: Severity }>();
  for (const [name, version, isDev] of facts.packages)
    for (const hit of hitsByPackage.get(keyOf({ ecosystem: facts.ecosystem, name, version })) ?? []) {
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
