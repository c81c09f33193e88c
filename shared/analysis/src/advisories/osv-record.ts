import { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';
import cvss from 'ae-cvss-calculator';
import { compareVersions, isSamePackage } from '../analyzers/dependencies/versions.ts';
import type { AdvisoryHit, PackageVersion } from '../advisory-source.ts';

const MAX_ID_LENGTH = 100;
/** An advisory id, such as `GHSA-jf85-cpcp-j695`. */
export const AdvisoryId = z
  .string()
  .max(MAX_ID_LENGTH)
  .regex(/^[\w.:-]+$/);

/** The fields that are used of a record of https://ossf.github.io/osv-schema. */
const OsvRecord = z.object({
  id: AdvisoryId,
  summary: z.string().default(''),
  aliases: z.array(z.string()).default([]),
  withdrawn: z.string().optional(),
  severity: z.array(z.object({ type: z.string(), score: z.string().max(500) })).default([]),
  database_specific: z.looseObject({ severity: z.unknown() }).optional(),
  affected: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
        ranges: z
          .array(z.object({ type: z.string(), events: z.array(z.record(z.string(), z.string())).max(10_000) }))
          .default([]),
        versions: z.array(z.string()).default([]),
        severity: z.array(z.object({ type: z.string(), score: z.string().max(500) })).default([]),
      }),
    )
    .default([]),
});
export type OsvRecord = z.infer<typeof OsvRecord>;

/** Parses an OSV record; null when invalid. */
export function readOsvRecord(text: string): OsvRecord | null {
  const read = OsvRecord.safeParse(parseJson(text));
  return read.success ? read.data : null;
}

/** Converts a record to a hit; null when the record was withdrawn or does not affect the package version. */
export function toAdvisoryHit(record: OsvRecord, one: PackageVersion): AdvisoryHit | null {
  if (record.withdrawn !== undefined) return null;
  for (const affected of record.affected) {
    if (!affected.package || !isSamePackage(one, affected.package)) continue;
    const ranges = affected.ranges.filter(({ type }) => type !== 'GIT');
    const isAffected = ranges.some(({ events }) => isInRange(one, events));
    if (!isAffected && !affected.versions.includes(one.version)) continue;
    const word = record.database_specific?.severity;
    return {
      package: one,
      id: record.id,
      aliases: record.aliases.filter((alias) => AdvisoryId.safeParse(alias).success).slice(0, 20),
      summary: record.summary.slice(0, 200),
      score: scoreOf([...affected.severity, ...record.severity].map(({ score }) => score)),
      word: typeof word === 'string' ? word.toUpperCase().slice(0, 20) : null,
      fixed: findFirstFix(
        one,
        ranges.flatMap(({ events }) => events),
      ),
    };
  }
  return null;
}

type Events = OsvRecord['affected'][number]['ranges'][number]['events'];

/** Applies the range events in version order; each event holds from its version on. */
function isInRange({ ecosystem, version }: PackageVersion, events: Events): boolean {
  const steps = events.flatMap((event) => Object.entries(event)).filter(([kind]) => kind !== 'limit');
  const order = (one: string, other: string): number =>
    one === '0' || other === '0' ? Number(other === '0') - Number(one === '0') : compareVersions(ecosystem, one, other);
  const ordered = steps.toSorted(([, one], [, other]) => order(one, other));
  let isAffected = false;
  for (const [kind, at] of ordered) {
    const past = order(version, at);
    if (kind === 'introduced' && past >= 0) isAffected = true;
    if ((kind === 'fixed' && past >= 0) || (kind === 'last_affected' && past > 0)) isAffected = false;
  }
  return isAffected;
}

function findFirstFix({ ecosystem, version }: PackageVersion, events: Events): string | null {
  const fixes = events.flatMap(({ fixed }) => (fixed === undefined ? [] : [fixed]));
  const later = fixes.filter((fixed) => compareVersions(ecosystem, fixed, version) > 0);
  return later.toSorted((one, other) => compareVersions(ecosystem, one, other))[0]?.slice(0, MAX_ID_LENGTH) ?? null;
}

/** Returns the highest score, 0 to 10, of the CVSS vectors; null when none can be parsed. */
function scoreOf(vectors: readonly string[]): number | null {
  const scores = vectors.flatMap((vector) => readScore(vector) ?? []);
  return scores.length === 0 ? null : Math.max(...scores);
}

function readScore(vector: string): number | null {
  try {
    const { overall } = cvss.fromVector(vector)?.calculateScores() ?? {};
    return typeof overall === 'number' && overall >= 0 && overall <= 10 ? overall : null;
  } catch {
    // An invalid vector has no score.
    return null;
  }
}
