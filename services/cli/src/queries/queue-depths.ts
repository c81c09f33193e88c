import { JobPool } from '@signalbox/contracts/operations/jobs';
import { readQueue, type QueueCounts } from '@signalbox/platform/queue/counts';
import type { Redis } from '@signalbox/platform/redis';

/** Queue of one pool. Ages are in milliseconds; null without a job. */
export interface QueueDepth extends QueueCounts {
  readonly pool: JobPool;
  readonly oldestWaitingMs: number | null;
  readonly consumers: number;
}

/** Counts the jobs in all queues. Throws when Redis does not answer. */
export function readQueueDepths(redis: Redis, prefix: string, now: Date): Promise<readonly QueueDepth[]> {
  return Promise.all(
    JobPool.options.map((pool) =>
      readQueue(redis, prefix, pool, async (queue, counts) => {
        const [oldest] = await queue.getJobs(['waiting'], 0, 0, true);
        const oldestWaitingMs = oldest ? Math.max(0, now.getTime() - oldest.timestamp - oldest.delay) : null;
        return { pool, ...counts, oldestWaitingMs, consumers: await queue.getWorkersCount() };
      }),
    ),
  );
}
