import { Queue as Bull } from 'bullmq';
import type { JobPool } from '@signalbox/contracts/operations/jobs';
import type { Figure, FigureKinds } from '../figures.ts';
import type { Redis } from '../redis.ts';
import { getQueuePrefix } from './names.ts';

export const QUEUE_FIGURES: FigureKinds = {
  queue_jobs: {
    help: 'Jobs in the queue of a pool by state. Each process of the pool exports it: use max().',
    labels: ['pool', 'state'],
  },
};

/** Jobs in the queue of one pool. */
export interface QueueCounts {
  /** Jobs that are due and not taken. */
  readonly waiting: number;
  readonly active: number;
  /** Jobs due later: schedules and retries. */
  readonly delayed: number;
  /** Jobs stored as failed. There should be none, because Postgres records the end of runs. */
  readonly failed: number;
}

/** Opens the queue of a pool for reading, and closes it after `work`. Throws when Redis does not answer. */
export async function readQueue<T>(
  redis: Redis,
  prefix: string,
  pool: JobPool,
  work: (queue: Bull, counts: QueueCounts) => Promise<T> | T,
): Promise<T> {
  await redis.ping(); // A queue would wait for a connection forever, while ping fails.
  const queue = new Bull(pool, { connection: redis, prefix: getQueuePrefix(prefix), skipMetasUpdate: true });
  try {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
    const count = (name: string): number => counts[name] ?? 0;
    return await work(queue, {
      waiting: count('waiting') + count('prioritized'),
      active: count('active'),
      delayed: count('delayed'),
      failed: count('failed'),
    });
  } finally {
    await queue.close();
  }
}

/** Reads the queue of one pool as figures. */
export function readQueueFigures(redis: Redis, prefix: string, pool: JobPool): Promise<readonly Figure[]> {
  return readQueue(redis, prefix, pool, (_, counts) =>
    Object.entries(counts).map(([state, value]: [string, number]) => ({
      name: 'queue_jobs',
      labels: { pool, state },
      value,
    })),
  );
}
