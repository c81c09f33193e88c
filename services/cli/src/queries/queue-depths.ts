import { Queue as Bull } from 'bullmq';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import type { Redis } from '@signalbox/platform/redis';
import { getQueuePrefix } from '@signalbox/platform/queue/names';

/** What is in the queue of one pool. Ages are in milliseconds; null when there is none. */
export interface QueueDepth {
  readonly pool: JobPool;
  /** Due and not taken. */
  readonly waiting: number;
  /** Taken by a process. */
  readonly active: number;
  /** Due later: schedules, and runs that are tried again. */
  readonly delayed: number;
  /** Kept by the queue as failed: none, as the end of a run is in Postgres. Others are worth a look. */
  readonly failed: number;
  readonly oldestWaitingMs: number | null;
  /** Processes that take jobs of this pool. */
  readonly consumers: number;
}

/** Counts what is in the queues now. Changes nothing. Throws when Redis does not answer. */
export async function readQueueDepths(redis: Redis, prefix: string, now: Date): Promise<readonly QueueDepth[]> {
  await redis.ping(); // a queue waits for a connection for ever; a command does not
  return Promise.all(
    JobPool.options.map(async (pool) => {
      const bull = new Bull(pool, { connection: redis, prefix: getQueuePrefix(prefix), skipMetasUpdate: true });
      try {
        const counts = await bull.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
        const [oldest] = await bull.getJobs(['waiting'], 0, 0, true);
        const count = (name: string): number => counts[name] ?? 0;
        return {
          pool,
          waiting: count('waiting') + count('prioritized'),
          active: count('active'),
          delayed: count('delayed'),
          failed: count('failed'),
          oldestWaitingMs: oldest ? Math.max(0, now.getTime() - oldest.timestamp - oldest.delay) : null,
          consumers: await bull.getWorkersCount(),
        };
      } finally {
        await bull.close();
      }
    }),
  );
}
