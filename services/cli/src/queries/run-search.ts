import { sleep } from '@signalbox/contracts/time';
import { JOBS, JobPool, type JobName, type JobSpec } from '@signalbox/contracts/operations/jobs';
import type { Queryable } from '@signalbox/store/pool';
import { RUN_FAILED, RUN_OUTCOME, type RunRow } from '@signalbox/store/conversation/runs';
import { sql } from '@signalbox/store/sql';

/** A run with all that an operator may see of it; secrets were taken out when it was stored. */
export interface RunDetail extends RunRow {
  readonly payload: unknown;
  readonly chatKey: string | null;
  readonly traceId: string;
  readonly queuedAt: Date;
  readonly startedAt: Date | null;
  /** The last heartbeat of its process. */
  readonly beatAt: Date | null;
  readonly cancelAt: Date | null;
  readonly cancelBy: string | null;
}

/** What is looked for; undefined is anything. */
export interface RunFilter {
  readonly job: string | undefined;
  readonly status: string | undefined;
  readonly project: string | undefined;
  readonly userKey: string | undefined;
  /** Created within so many milliseconds; null: at any time. */
  readonly sinceMs: number | null;
  /** Words in the job's name, what it was about, what came of it or its error; as in a web search. */
  readonly text: string | undefined;
  readonly limit: number;
}

const DETAIL = sql`run_id as "runId", job, ${RUN_OUTCOME} as status, user_key as "userKey", thread_id as "threadId", progress, result, error,
  attempts, created_at as "createdAt", finished_at as "finishedAt", payload, chat_key as "chatKey", trace_id as "traceId",
  queued_at as "queuedAt", started_at as "startedAt", beat_at as "beatAt", cancel_at as "cancelAt", cancel_by as "cancelBy"`;

/** Runs that fit, the newest first. */
export async function findRuns(db: Queryable, filter: RunFilter): Promise<readonly RunDetail[]> {
  const { job, status, project, userKey, sinceMs, text, limit } = filter;
  const { rows } = await db.query<RunDetail>(sql`select ${DETAIL} from runs
      where (${job}::text is null or job = ${job}) and (${status}::text is null or ${RUN_OUTCOME} = ${status})
        and (${project}::text is null or payload ? 'project' and payload ->> 'project' = ${project})
          and (${userKey}::text is null or user_key = ${userKey})
        and (${sinceMs}::float8 is null or created_at > clock_timestamp() - ${sinceMs} * interval '1 ms')
        and (${text}::text is null or run_words(job, payload, result, error) @@ websearch_to_tsquery('simple', ${text}))
      order by created_at desc, run_id limit ${limit}`);
  return rows;
}

/** One run; null when there is none of that id. */
export async function findRun(db: Queryable, runId: string): Promise<RunDetail | null> {
  const { rows } = await db.query<RunDetail>(sql`select ${DETAIL} from runs where run_id = ${runId}`);
  return rows[0] ?? null;
}

const LOOK_MS = 200;

/** Looks at a run until it is over in the sense of the caller, or until the time is up. */
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
    await sleep(LOOK_MS);
  }
}

/** What Postgres knows of the work of one pool. Ages are in milliseconds; null when there is none. */
export interface PoolWork {
  readonly pool: JobPool;
  readonly waiting: number;
  readonly running: number;
  /** Within the last day. */
  readonly done: number;
  readonly failed: number;
  readonly oldestWaitingMs: number | null;
  readonly oldestRunningMs: number | null;
  /** The longest that a running one has given no sign of life. */
  readonly quietestMs: number | null;
}

/** The work of each pool. A run that is not due yet does not wait. */
export async function readPoolWork(db: Queryable): Promise<readonly PoolWork[]> {
  const { rows } = await db.query<Omit<PoolWork, 'pool'> & { readonly job: string }>(sql`select job,
            (count(*) filter (where status = 'queued' and queued_at <= clock_timestamp()))::int as waiting,
            (count(*) filter (where status = 'running'))::int as running,
            (count(*) filter (where status = 'done' and not ${RUN_FAILED}))::int as done,
            (count(*) filter (where ${RUN_FAILED}))::int as failed,
            extract(epoch from clock_timestamp() - min(queued_at) filter (where status = 'queued'
                                                      and queued_at <= clock_timestamp()))::float8 * 1000 as "oldestWaitingMs",
            extract(epoch from clock_timestamp() - min(started_at) filter (where status = 'running'))::float8 * 1000 as "oldestRunningMs",
            extract(epoch from clock_timestamp() - min(beat_at) filter (where status = 'running'))::float8 * 1000 as "quietestMs"
       from runs where status in ('queued', 'running') or finished_at > clock_timestamp() - interval '24 hours'
      group by job`);
  return JobPool.options.map((pool) => {
    const mine = rows.filter(({ job }) => poolOf(job) === pool);
    const total = (of: 'waiting' | 'running' | 'done' | 'failed'): number =>
      mine.reduce((sum, row) => sum + row[of], 0);
    const longest = (of: 'oldestWaitingMs' | 'oldestRunningMs' | 'quietestMs'): number | null => {
      const ages = mine.map((row) => row[of]).filter((age) => age !== null);
      return ages.length === 0 ? null : Math.max(...ages);
    };
    return {
      pool,
      waiting: total('waiting'),
      running: total('running'),
      done: total('done'),
      failed: total('failed'),
      oldestWaitingMs: longest('oldestWaitingMs'),
      oldestRunningMs: longest('oldestRunningMs'),
      quietestMs: longest('quietestMs'),
    };
  });
}

/** Null for a job that this release does not know. */
function poolOf(job: string): JobPool | null {
  const spec: JobSpec | undefined = JOBS[job as JobName]; // undefined for any other name
  return spec?.pool ?? null;
}
