import { Queue as Bull } from 'bullmq';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import type { Redis } from '@signalbox/platform/redis';
import { getQueuePrefix } from '@signalbox/platform/queue/names';

/** Queue of one pool. Ages are in milliseconds; null without a job. */
export interface QueueDepth {
  readonly pool: JobPool;
  /** Jobs that are due and not taken. */
  readonly waiting: number;
  readonly active: number;
  /** Jobs due later: schedules and retries. */
  readonly delayed: number;
  /** Jobs stored as failed. There should be none, because Postgres records the end of runs. */
  readonly failed: number;
  readonly oldestWaitingMs: number | null;
  readonly consumers: number;
}

/** Counts the jobs in all queues. Throws when Redis does not answer. */
export async function readQueueDepths(redis: Redis, prefix: string, now: Date): Promise<readonly QueueDepth[]> {
  await redis.ping(); // A queue would wait for a connection forever, while ping fails.
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
