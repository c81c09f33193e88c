import { withinMs } from '@signalbox/contracts/time';
import { Queue as Bull } from 'bullmq';
import { JOBS, type JobName, type JobSpec } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis } from '../redis.ts';
import { jobIdOf, queuePrefix } from './names.ts';

export interface Queue extends Closable {
  /**
   * Says that a run is due. What it is about stays in Postgres. While the run is in the queue, saying so again changes
   * nothing. Throws when Redis does not answer; a sweeper says it again later, so the caller may go on.
   */
  enqueue(job: JobName, run: { readonly runId: string; readonly traceId: string }): Promise<void>;
  /** Schedules each scheduled job of a pool that is not scheduled, also after Redis lost its data. Idempotent. */
  ensureSchedules(pool: JobSpec['pool'], now: Date): Promise<void>;
}

/** BullMQ waits for a connection without end; a tool that starts a job must not. What comes late does no harm. */
const REDIS_DEADLINE_MS = 3_000;

/** A schedule whose next execution is this late has lost it: Redis came back from an older copy, or a process died in between. */
const SCHEDULE_LOST_MS = 60_000;

/** Finished jobs leave Redis at once: that they ran is in Postgres, which also refuses to run them twice. */
const OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1, stackTraceLimit: 1 } as const;

/** Opens the writing side of all queues, over one connection of its own. */
export function createQueue(options: { readonly redisUrl: string; readonly prefix: string; readonly log: Log }): Queue {
  const { log } = options;
  const redis = openRedis(options.redisUrl, log);
  const bulls = new Map<string, Bull>();
  const bullOf = (pool: string): Bull => {
    const known = bulls.get(pool);
    if (known) return known;
    const bull = new Bull(pool, {
      connection: redis,
      prefix: queuePrefix(options.prefix),
      streams: { events: { maxLen: 100 } },
    });
    bull.on('error', (error) => log.warn('queue connection trouble', { pool, error }));
    bulls.set(pool, bull);
    return bull;
  };
  return {
    enqueue: async (job, { runId, traceId }) => {
      await inTime(bullOf(JOBS[job].pool).add(job, { traceId }, { ...OPTIONS, jobId: jobIdOf(runId) }));
    },
    ensureSchedules: async (pool, now) => {
      for (const [job, { pool: home, everyMs }] of Object.entries<JobSpec>(JOBS)) {
        if (home !== pool || everyMs === null) continue;
        await inTime(ensureSchedule(bullOf(pool), job, everyMs, now));
      }
    },
    close: async () => {
      await Promise.all([...bulls.values()].map((bull) => bull.close()));
      await closeRedis(redis);
    },
  };
}

async function ensureSchedule(bull: Bull, job: string, everyMs: number, now: Date): Promise<void> {
  const schedule = await bull.getJobScheduler(job);
  const late = now.getTime() - (schedule?.next ?? 0);
  if (schedule?.every === everyMs && late < Math.max(everyMs, SCHEDULE_LOST_MS)) return;
  if (schedule) await bull.removeJobScheduler(job);
  await bull.upsertJobScheduler(job, { every: everyMs }, { name: job, data: {}, opts: OPTIONS });
}

/** Throws UPSTREAM_UNAVAILABLE when Redis does not answer in time. */
async function inTime(work: Promise<unknown>): Promise<void> {
  const isDone = await withinMs(
    work.then(() => true),
    REDIS_DEADLINE_MS,
  );
  if (!isDone) throw new AppError('UPSTREAM_UNAVAILABLE', { service: 'Redis' });
}
