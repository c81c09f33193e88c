import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { redactText } from '@signalbox/safety/redact/redact';
import type { Queryable } from '../pool.ts';
import { findValue, listRows, sql } from '../sql.ts';

export type ErrorSource = 'log' | 'deploy' | 'health' | 'tool' | 'job';

export interface ErrorGroup extends ServiceKey {
  readonly fingerprint: string;
  readonly source: ErrorSource;
  /** First line of one error of the group, redacted. */
  readonly sample: string;
  readonly release: string | null;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  readonly count: number;
}

/** New errors of one group that a probe found in the log. */
export interface FoundErrors extends Pick<ErrorGroup, 'fingerprint' | 'source' | 'sample' | 'release' | 'count'> {
  /** Time of the newest error in the log; null means now. */
  readonly at: Date | null;
}

/** Maximum number of groups per service; the least recently seen groups are deleted. */
const KEPT = 500;
const SAMPLE = 500;

const COLUMNS = sql`project, environment, fingerprint, source, sample, release, first_seen as "firstSeen", last_seen as "lastSeen", count::int`;

/**
 * Adds new errors to the groups of a service, in the caller's transaction. Not idempotent: the caller counts each error once. Only errors
 * from the log count for the usual rate, because a failed deployment is no error of the serving release.
 */
export async function addErrors(db: Queryable, service: ServiceKey, found: readonly FoundErrors[]): Promise<void> {
  if (found.length === 0) return;
  const groups = found.map((one) => ({ ...one, sample: redactText(one.sample).slice(0, SAMPLE) }));
  // Errors from a log whose clock is ahead would otherwise count as new for hours.
  const at = sql`least(f.at, clock_timestamp())`;
  await db.query(sql`
    insert into error_groups (project, environment, fingerprint, source, sample, release, first_seen, last_seen, count)
     select ${service.project}, ${service.environment}, f.fingerprint, f.source, f.sample, f.release, ${at}, ${at}, f.count
       from jsonb_to_recordset(${JSON.stringify(groups)}::jsonb)
         as f (fingerprint text, source text, sample text, release text, at timestamptz, count bigint)
      order by f.fingerprint
     on conflict (project, environment, fingerprint) do update
        set count = error_groups.count + excluded.count, sample = excluded.sample,
            release = coalesce(excluded.release, error_groups.release),
            last_seen = greatest(error_groups.last_seen, excluded.last_seen)`);
  await db.query(sql`
    delete from error_groups where project = ${service.project} and environment = ${service.environment} and fingerprint in (
       select fingerprint from error_groups where project = ${service.project} and environment = ${service.environment}
         order by last_seen desc, fingerprint offset ${KEPT})`);
  const minutes = found.flatMap(({ source, at, count }) => (source === 'log' ? [{ at, count }] : []));
  if (minutes.length === 0) return;
  await db.query(sql`insert into error_minutes (project, environment, minute, count)
     select ${service.project}, ${service.environment}, date_trunc('minute', ${at}), sum(f.count)
       from jsonb_to_recordset(${JSON.stringify(minutes)}::jsonb) as f (at timestamptz, count bigint) group by 3
     on conflict (project, environment, minute) do update set count = error_minutes.count + excluded.count`);
  await db.query(sql`delete from error_minutes where project = ${service.project}
      and environment = ${service.environment} and minute < now() - interval '1 day'`);
}

/** Counts the errors of a service in the last `withinMs` milliseconds, to the minute. */
export function countErrors(db: Queryable, service: ServiceKey, withinMs: number): Promise<number> {
  return findValue<number>(db, 0)`select coalesce(sum(count), 0)::int as n from error_minutes
      where project = ${service.project} and environment = ${service.environment} and minute >= date_trunc('minute', clock_timestamp() - ${withinMs} * interval '1 ms')`;
}

/** Lists the groups with errors since `since`, newest first. */
export function listErrorGroups(
  db: Queryable,
  filter: Partial<ServiceKey> & { readonly since: Date },
  limit: number,
): Promise<readonly ErrorGroup[]> {
  return listRows<ErrorGroup>(db)`select ${COLUMNS} from error_groups
      where last_seen >= ${filter.since} and (${filter.project ?? null}::text is null or project = ${filter.project ?? null})
        and (${filter.environment ?? null}::text is null or environment = ${filter.environment ?? null})
      order by last_seen desc, fingerprint limit ${limit}`;
}
