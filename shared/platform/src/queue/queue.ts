import { withinMs } from '@signalbox/contracts/time';
import { Queue as Bull } from 'bullmq';
import { JOBS, type JobName } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis } from '../redis.ts';
import { jobIdOf, queuePrefix, tickIdOf } from './names.ts';

export interface Queue extends Closable {
  /**
   * Says that a run is due. What it is about stays in Postgres. While the run is in the queue, saying so again changes
   * nothing. Throws when Redis does not answer; a sweeper says it again later, so the caller may go on.
   */
  enqueue(job: JobName, run: { readonly runId: string; readonly traceId: string }): Promise<void>;
  /**
   * Says that a scheduled job may be due. It executes unless an execution waits or runs, or its period has not passed since the last one
   * by the clock of Redis. Throws when Redis does not answer; it is said again soon.
   */
  tick(job: JobName): Promise<void>;
}

/** BullMQ waits for a connection without end; a tool that starts a job must not. What comes late does no harm. */
const REDIS_DEADLINE_MS = 3_000;

/** Of a period: whoever says it exactly once a period must not come a moment too early. */
const NOT_AGAIN_FOR = 0.9;

/** Finished jobs leave Redis at once: that they ran is in Postgres, which also refuses to run them twice. */
const OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1, stackTraceLimit: 1 } as const;

/** Opens the writing side of all queues, over one connection of its own. */
export function createQueue(options: { readonly redisUrl: string; readonly prefix: string; readonly log: Log }): Queue {
  const { log } = options;
  const redis = openRedis(options.redisUrl, log);
  const bulls = new Map<string, Bull>();
  const ticked = new Set<JobName>();
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
    tick: async (job) => {
      const { pool, everyMs } = JOBS[job];
      if (everyMs === null) return;
      const bull = bullOf(pool);
      // Schedulers of BullMQ, which earlier releases used, go by the clock of whoever made the next execution.
      if (!ticked.has(job)) await inTime(bull.removeJobScheduler(job));
      ticked.add(job);
      const deduplication = { id: job, ttl: everyMs * NOT_AGAIN_FOR };
      await inTime(bull.add(job, {}, { ...OPTIONS, jobId: tickIdOf(job), deduplication }));
    },
    close: async () => {
      await Promise.all([...bulls.values()].map((bull) => bull.close()));
      await closeRedis(redis);
    },
  };
}

/** Throws UPSTREAM_UNAVAILABLE when Redis does not answer in time. */
async function inTime(work: Promise<unknown>): Promise<void> {
  const isDone = await withinMs(
    work.then(() => true),
    REDIS_DEADLINE_MS,
  );
  if (!isDone) throw new AppError('UPSTREAM_UNAVAILABLE', { service: 'Redis' });
}
