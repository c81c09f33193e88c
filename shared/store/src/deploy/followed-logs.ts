import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, sql } from '../sql.ts';

/** SQL condition on `runs`: the run is unfinished and follows a log. */
const FOLLOWS = sql`job = 'service.logs' and (payload ->> 'followSeconds')::int > 0 and status in ('queued', 'running') and cancel_at is null`;

/** Which followed logs to end: those of a person, in one chat, of one run, or all except those of one run. */
interface FollowedLogs {
  readonly userKey: string;
  readonly chatKey?: string;
  readonly runId?: string;
  readonly butRunId?: string;
}

/**
 * Requests the end of followed logs. Their runs notice the request within a second and finish their message. Returns the number of runs.
 * Idempotent.
 */
export async function endFollowedLogs(
  db: Queryable,
  { userKey, chatKey, runId, butRunId }: FollowedLogs,
): Promise<number> {
  const { rowCount } = await db.query(sql`update runs set cancel_at = clock_timestamp(), cancel_by = ${userKey},
            status = case when status = 'queued' then 'cancelled' else status end,
            finished_at = case when status = 'queued' then clock_timestamp() end
      where ${FOLLOWS} and user_key = ${userKey} and (${chatKey ?? null}::text is null or chat_key = ${chatKey ?? null})
        and (${runId ?? null}::text is null or run_id = ${runId ?? null})
        and (${butRunId ?? null}::text is null or run_id <> ${butRunId ?? null})`);
  return rowCount ?? 0;
}

/** True when the person follows a log in the chat. */
export function hasFollowedLog(
  db: Queryable,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
): Promise<boolean> {
  return hasRow(db)`select 1 from runs where ${FOLLOWS} and user_key = ${userKey}
      and chat_key = ${chatKey} limit 1`;
}

/** Reads for how many milliseconds a run has followed its log, in all processes together, and whether a person has stopped it. */
export async function readFollowState(
  db: Queryable,
  runId: string,
): Promise<{ readonly ageMs: number; readonly isStopped: boolean }> {
  const row = await findRow<{ ageMs: number; isStopped: boolean }>(db)`
    select (extract(epoch from clock_timestamp() - coalesce(started_at, clock_timestamp())) * 1000)::float8 as "ageMs",
            cancel_at is not null as "isStopped" from runs where run_id = ${runId} and status = 'running'`;
  return row ?? { ageMs: 0, isStopped: false };
}

/** Finds the run that a pressed button ends; null when the button belongs to no followed log. */
export function findRunToEnd(
  db: Queryable,
  press: { readonly outboxId: string; readonly index: number; readonly chatKey: string },
): Promise<string | null> {
  return findValue<string>(db)`
    select o.body -> 'buttons' -> ${press.index}::int ->> 'ends' as ends from outbox o
      where o.id = ${press.outboxId}::bigint and chat_root(o.chat_key) = chat_root(${press.chatKey})`;
}
