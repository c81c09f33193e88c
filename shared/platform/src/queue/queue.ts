import { waitAtMost } from '@signalbox/contracts/time';
import { Queue as Bull } from 'bullmq';
import { JOBS, type JobName } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis } from '../redis.ts';
import { toJobId, getQueuePrefix, toScheduledJobId } from './names.ts';

export interface Queue extends Closable {
  /**
   * Enqueues a run; its data stays in Postgres. Does nothing while the run is in the queue. Throws when Redis does
   * not answer; the caller may go on, because a sweeper enqueues the run later.
   */
  enqueue(job: JobName, run: { readonly runId: string; readonly traceId: string }): Promise<void>;
  /**
   * Enqueues a scheduled job unless an execution waits or runs, or the job's period has not passed by the clock of Redis. Throws when
   * Redis does not answer; the next call of `tick` tries again.
   */
  tick(job: JobName): Promise<void>;
}

/** Deadline of calls to the queue: BullMQ waits for a connection for ever, which tools must not. A late success does no harm. */
const REDIS_DEADLINE_MS = 3_000;

/** Share of a period in which ticks are ignored; below 1 so that a punctual tick is not too early. */
const PERIOD_SHARE = 0.9;

/** Finished jobs leave Redis at once: Postgres records them and refuses to run them twice. */
const OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1, stackTraceLimit: 1 } as const;

/** Opens the writing side of all queues, over one connection of its own. */
export function createQueue(options: { readonly redisUrl: string; readonly prefix: string; readonly log: Log }): Queue {
  const { log } = options;
  const redis = openRedis(options.redisUrl, log);
  const queues = new Map<string, Bull>();
  const ticked = new Set<JobName>();
  const openQueue = (pool: string): Bull => {
    const known = queues.get(pool);
    if (known) return known;
    const queue = new Bull(pool, {
      connection: redis,
      prefix: getQueuePrefix(options.prefix),
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', (error) => log.warn('queue connection trouble', { pool, error }));
    queues.set(pool, queue);
    return queue;
  };
  return {
    enqueue: async (job, { runId, traceId }) => {
      await withDeadline(openQueue(JOBS[job].pool).add(job, { traceId }, { ...OPTIONS, jobId: toJobId(runId) }));
    },
    tick: async (job) => {
      const { pool, everyMs } = JOBS[job];
      if (everyMs === null) return;
      const queue = openQueue(pool);
      // Earlier releases used BullMQ's schedulers, which depend on the clock of the enqueuing machine.
      if (!ticked.has(job)) await withDeadline(queue.removeJobScheduler(job));
      ticked.add(job);
      const deduplication = { id: job, ttl: everyMs * PERIOD_SHARE };
      await withDeadline(queue.add(job, {}, { ...OPTIONS, jobId: toScheduledJobId(job), deduplication }));
    },
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await closeRedis(redis);
    },
  };
}

/** Throws UPSTREAM_UNAVAILABLE when Redis does not answer in time. */
async function withDeadline(work: Promise<unknown>): Promise<void> {
  const isDone = await waitAtMost(
    work.then(() => true),
    REDIS_DEADLINE_MS,
  );
  if (!isDone) throw new AppError('UPSTREAM_UNAVAILABLE', { service: 'Redis' });
}
