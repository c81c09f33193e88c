import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { redactText } from '@signalbox/safety/redact/redact';
import type { Queryable } from '../pool.ts';

export type ErrorSource = 'log' | 'deploy' | 'health' | 'tool' | 'job';

/** Errors that are alike, counted together. */
export interface ErrorGroup {
  readonly project: string;
  readonly environment: string;
  readonly fingerprint: string;
  readonly source: ErrorSource;
  /** The first line of one of them, redacted. */
  readonly sample: string;
  readonly release: string | null;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  readonly count: number;
}

/** What a look has found of one group. */
export interface FoundErrors {
  readonly fingerprint: string;
  readonly source: ErrorSource;
  readonly sample: string;
  readonly release: string | null;
  readonly at: Date;
  readonly count: number;
}

/** Groups that are kept of one service: when there are more, those go that were not seen for longest. */
const KEPT = 500;
/** Characters of a sample. */
const SAMPLE = 500;

const COLUMNS = `project, environment, fingerprint, source, sample, release, first_seen as "firstSeen", last_seen as "lastSeen", count::int`;

/**
 * Adds what was found to the groups of a service. The caller counts each error once: twice adds twice. In its transaction. Only lines
 * of the log say how many errors are usual; a deployment that fails is no error of what serves.
 */
export async function addErrors(db: Queryable, service: ServiceKey, found: readonly FoundErrors[]): Promise<void> {
  if (found.length === 0) return;
  await db.query(
    `insert into error_groups (project, environment, fingerprint, source, sample, release, first_seen, last_seen, count)
     select $1, $2, f.fingerprint, f.source, f.sample, f.release, f.at, f.at, f.count
       from jsonb_to_recordset($3::jsonb) as f (fingerprint text, source text, sample text, release text, at timestamptz, count bigint)
      order by f.fingerprint
     on conflict (project, environment, fingerprint) do update
        set count = error_groups.count + excluded.count, sample = excluded.sample,
            release = coalesce(excluded.release, error_groups.release),
            last_seen = greatest(error_groups.last_seen, excluded.last_seen)`,
    [
      service.project,
      service.environment,
      JSON.stringify(found.map((one) => ({ ...one, sample: redactText(one.sample).slice(0, SAMPLE) }))),
    ],
  );
  await db.query(
    `delete from error_groups where project = $1 and environment = $2 and fingerprint in (
       select fingerprint from error_groups where project = $1 and environment = $2 order by last_seen desc, fingerprint offset $3)`,
    [service.project, service.environment, KEPT],
  );
  const minutes = found.filter(({ source }) => source === 'log');
  if (minutes.length === 0) return;
  await db.query(
    `insert into error_minutes (project, environment, minute, count)
     select $1, $2, date_trunc('minute', f.at), sum(f.count) from jsonb_to_recordset($3::jsonb) as f (at timestamptz, count bigint) group by 3
     on conflict (project, environment, minute) do update set count = error_minutes.count + excluded.count`,
    [service.project, service.environment, JSON.stringify(minutes.map(({ at, count }) => ({ at, count })))],
  );
  await db.query(
    `delete from error_minutes where project = $1 and environment = $2 and minute < now() - interval '1 day'`,
    [service.project, service.environment],
  );
}

/** How many errors a service had since then, to the minute. */
export async function countErrors(db: Queryable, service: ServiceKey, since: Date): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select coalesce(sum(count), 0)::int as n from error_minutes
      where project = $1 and environment = $2 and minute >= date_trunc('minute', $3::timestamptz)`,
    [service.project, service.environment, since],
  );
  return rows[0]?.n ?? 0;
}

/** Groups that were seen since then, the newest first. */
export async function listErrorGroups(
  db: Queryable,
  filter: Partial<ServiceKey> & { readonly since: Date },
  limit: number,
): Promise<readonly ErrorGroup[]> {
  const { rows } = await db.query<ErrorGroup>(
    `select ${COLUMNS} from error_groups
      where last_seen >= $1 and ($2::text is null or project = $2) and ($3::text is null or environment = $3)
      order by last_seen desc, fingerprint limit $4`,
    [filter.since, filter.project ?? null, filter.environment ?? null, limit],
  );
  return rows;
}
