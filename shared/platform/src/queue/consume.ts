import { WaitingError, Worker, type Job } from 'bullmq';
import { isJobName, type JobName, type JobSpec } from '@signalbox/contracts/operations/jobs';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis } from '../redis.ts';
import { waitAtMost } from '@signalbox/contracts/time';
import { getQueuePrefix, toRunId } from './names.ts';
import { createRetryDelays } from './pauses.ts';
import type { Queue } from './queue.ts';

/** A job taken from the queue: a run that a person requested, or (`runId` null) a scheduled execution. */
export interface QueuedJob {
  readonly job: JobName;
  readonly runId: string | null;
  /** Aborted when this process stops. */
  readonly signal: AbortSignal;
}

/**
 * Whether the queue may forget the job or must deliver it again. The delay runs in this process and not in Redis,
 * because BullMQ would start it by this machine's clock and end it by another's. A delay that is lost with its
 * process is due in Postgres, where the sweeper finds it.
 */
export type QueueVerdict = { readonly kind: 'forget' } | { readonly kind: 'again'; readonly delayMs: number };

export interface QueueConsumer extends Closable {
  isRunning(): boolean;
}

/** Delay after an error of the handler itself: short enough to recover, long enough not to spin. */
const ERROR_DELAY_MS = 5_000;
/** Limit of redeliveries in BullMQ, effectively unlimited: Postgres counts the attempts and decides. */
const MAX_STALLED = 1_000;
/** Time limit for closing BullMQ when Redis is away. A service has 12 s to close all its parts. */
const CLOSE_DEADLINE_MS = 4_000;

/**
 * Takes jobs of one pool from the queue, up to `concurrency` at a time. A job whose process died is delivered again
 * after `leaseMs`. `handle` returns the verdict; when it throws, the job is delivered again. `close` aborts the
 * signal of running jobs, waits for their verdicts and closes the connections.
 */
export function consumeQueue(options: {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly pool: JobSpec['pool'];
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly log: Log;
  readonly handle: (queued: QueuedJob) => Promise<QueueVerdict>;
  readonly requeue: Queue['enqueue'];
}): QueueConsumer {
  const { pool, log, handle, requeue } = options;
  const redis = openRedis(options.redisUrl, log, 0);
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const pauses = createRetryDelays(requeue, log);

  const decide = async (job: Job): Promise<QueueVerdict> => {
    const name = job.name;
    if (!isJobName(name)) {
      // During a rolling update a newer process may enqueue a job that this release does not know. Newer sweepers enqueue it again.
      log.warn('job of an unknown name left to others', { job: name });
      return { kind: 'forget' };
    }
    if (stopping.signal.aborted) return { kind: 'again', delayMs: 0 };
    try {
      return await handle({ job: name, runId: toRunId(job.id), signal: stopping.signal });
    } catch (error) {
      log.error('job could not be handled, it comes again', { job: name, jobId: job.id, error });
      return { kind: 'again', delayMs: ERROR_DELAY_MS };
    }
  };

  const worker = new Worker(
    pool,
    async (job, token) => {
      const deciding = decide(job);
      running.add(deciding);
      const verdict = await deciding.finally(() => running.delete(deciding));
      if (verdict.kind === 'forget') return;
      if (verdict.delayMs > 0) return pauses.set(job, verdict.delayMs);
      await job.moveToWait(token);
      throw new WaitingError(); // tells BullMQ that the job has already been moved
    },
    {
      connection: redis,
      prefix: getQueuePrefix(options.prefix),
      concurrency: options.concurrency,
      lockDuration: options.leaseMs,
      stalledInterval: options.leaseMs,
      maxStalledCount: MAX_STALLED,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('completed', pauses.start);
  // When Redis was emptied, the lock of a running job is gone; the job's result still goes to Postgres.
  worker.on('error', (error) => log.warn('queue trouble', { pool, error }));
  worker.on('stalled', (jobId) => log.warn('job lost its process and comes again', { pool, jobId }));
  return {
    isRunning: () => worker.isRunning(),
    close: async () => {
      stopping.abort(new Error('this process is stopping'));
      pauses.cancel();
      await Promise.allSettled(running);
      // Without Redis, BullMQ would wait for ever; the sweeper of another process handles the rest.
      await waitAtMost(Promise.allSettled([worker.close(redis.status !== 'ready')]), CLOSE_DEADLINE_MS);
      await closeRedis(redis);
    },
  };
}
