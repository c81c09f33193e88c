import { sleep } from '@signalbox/contracts/time';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import type { Queryable } from '@signalbox/store/pool';
import { RUN_FAILED_SQL, RUN_OUTCOME_SQL, type RunRow } from '@signalbox/store/turns/runs';
import { findRow, listRows, sql, type Sql } from '@signalbox/store/sql';

/** A run with all fields for operators; secrets were redacted when it was stored. */
export interface RunDetail extends RunRow {
  readonly payload: unknown;
  readonly chatKey: string | null;
  readonly traceId: string;
  readonly queuedAt: Date;
  readonly startedAt: Date | null;
  readonly beatAt: Date | null;
  readonly cancelAt: Date | null;
  readonly cancelBy: string | null;
}

/** Filters of runs; undefined means any. */
export interface RunFilter {
  readonly job: string | undefined;
  readonly status: string | undefined;
  readonly project: string | undefined;
  readonly userKey: string | undefined;
  /** Created within this many milliseconds; null for any time. */
  readonly sinceMs: number | null;
  /** Words in the job name, payload, result or error, in web search syntax. */
  readonly text: string | undefined;
  readonly limit: number;
}

const DETAIL = sql`run_id as "runId", job, ${RUN_OUTCOME_SQL} as status, user_key as "userKey", thread_id as "threadId", progress, result, error,
  attempts, created_at as "createdAt", finished_at as "finishedAt", payload, chat_key as "chatKey", trace_id as "traceId",
  queued_at as "queuedAt", started_at as "startedAt", beat_at as "beatAt", cancel_at as "cancelAt", cancel_by as "cancelBy"`;

/** Finds matching runs, newest first. */
export function findRuns(db: Queryable, filter: RunFilter): Promise<readonly RunDetail[]> {
  const { job, status, project, userKey, sinceMs, text, limit } = filter;
  return listRows<RunDetail>(db)`select ${DETAIL} from runs
      where (${job}::text is null or job = ${job}) and (${status}::text is null or ${RUN_OUTCOME_SQL} = ${status})
        and (${project}::text is null or payload ? 'project' and payload ->> 'project' = ${project})
          and (${userKey}::text is null or user_key = ${userKey})
        and (${sinceMs}::float8 is null or created_at > clock_timestamp() - ${sinceMs} * interval '1 ms')
        and (${text}::text is null or run_words(job, payload, result, error) @@ websearch_to_tsquery('simple', ${text}))
      order by created_at desc, run_id limit ${limit}`;
}

/** Finds a run by id; null when there is none. */
export function findRun(db: Queryable, runId: string): Promise<RunDetail | null> {
  return findRow<RunDetail>(db)`select ${DETAIL} from runs where run_id = ${runId}`;
}

const POLL_MS = 200;

/** Polls a run until `isOver` or until the time is up. */
export async function waitForRun(
  db: Queryable,
  runId: string,
  isOver: (run: RunDetail) => boolean,
  forMs: number,
): Promise<RunDetail | null> {
  const until = performance.now() + forMs;
  for (;;) {
    const run = await findRun(db, runId);
    if (run === null || isOver(run) || performance.now() >= until) return run;
    await sleep(POLL_MS);
  }
}

/** Work of one pool in Postgres. Ages are in milliseconds; null without a run. */
export interface PoolRunCounts {
  readonly pool: JobPool;
  readonly waiting: number;
  readonly running: number;
  /** Runs that ended within the last 24 hours. */
  readonly done: number;
  readonly failed: number;
  readonly oldestWaitingMs: number | null;
  readonly oldestRunningMs: number | null;
  /** Longest time since a heartbeat of a running job. */
  readonly quietestMs: number | null;
}

/** Reads the work of each pool. Runs that are not due yet do not count as waiting. */
export function readPoolRunCounts(db: Queryable): Promise<readonly PoolRunCounts[]> {
  const isWaiting = sql`r.status = 'queued' and r.queued_at <= clock_timestamp()`;
  const isRecent = sql`r.finished_at > clock_timestamp() - interval '24 hours'`;
  const age = (since: Sql): Sql => sql`(extract(epoch from clock_timestamp() - ${since}) * 1000)::float8`;
  return listRows<PoolRunCounts>(db)`
    select p.pool, (count(*) filter (where ${isWaiting}))::int as waiting,
           (count(*) filter (where r.status = 'running'))::int as running,
           (count(*) filter (where ${isRecent} and r.status = 'done' and not r.failed))::int as done,
           (count(*) filter (where ${isRecent} and r.failed))::int as failed,
           ${age(sql`min(r.queued_at) filter (where ${isWaiting})`)} as "oldestWaitingMs",
           ${age(sql`min(r.started_at) filter (where r.status = 'running')`)} as "oldestRunningMs",
           ${age(sql`min(r.beat_at) filter (where r.status = 'running')`)} as "quietestMs"
      from unnest(${JobPool.options}::text[]) with ordinality as p (pool, place)
           left join (select *, ${RUN_FAILED_SQL} as failed from runs) r on job_pool(job_due(r.job, r.payload)) = p.pool
     group by p.pool, p.place order by p.place`;
}
