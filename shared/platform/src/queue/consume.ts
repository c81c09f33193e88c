import { WaitingError, Worker, type Job } from 'bullmq';
import { isJobName, type JobName, type JobSpec } from '@signalbox/contracts/operations/jobs';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis } from '../redis.ts';
import { withinMs } from '@signalbox/contracts/time';
import { queuePrefix, runIdOf } from './names.ts';
import { createPauses } from './pauses.ts';
import type { Queue } from './queue.ts';

/** Something to do: a run that a person asked for, or (`runId` null) an execution that a schedule started. */
export interface QueuedJob {
  readonly job: JobName;
  readonly runId: string | null;
  /** Fires when this process wants to stop. */
  readonly signal: AbortSignal;
}

/**
 * Whether the queue may forget the job, or shall bring it again. A pause is waited for in here, and not in Redis: BullMQ would count it by
 * the clock of this machine, and let go of it by that of another. What is lost in a pause is due in Postgres, and its sweeper brings it.
 */
export type QueueVerdict = { readonly kind: 'forget' } | { readonly kind: 'again'; readonly delayMs: number };

export interface QueueConsumer extends Closable {
  isRunning(): boolean;
}

/** After a failure of Postgres or a bug in the handler's caller: soon enough to recover, slow enough not to spin. */
const TROUBLE_DELAY_MS = 5_000;
/** How often a job may lose its process is decided in Postgres, by counted attempts; this only must not be in the way. */
const MAX_STALLED = 1_000;
/** Redis may go away just as BullMQ says good-bye to it. A service has 12 s to close all its parts. */
const CLOSE_DEADLINE_MS = 4_000;

/**
 * Takes jobs of one pool from the queue, up to `concurrency` at a time. A job whose process died comes again after
 * `leaseMs`. `handle` decides what becomes of a job; when it throws, the job comes again.
 * Closing fires the signal of everything that runs, waits for the verdicts and then closes the connections.
 */
export function consumeQueue(options: {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly pool: JobSpec['pool'];
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly log: Log;
  readonly handle: (queued: QueuedJob) => Promise<QueueVerdict>;
  readonly again: Queue['enqueue'];
}): QueueConsumer {
  const { pool, log, handle, again } = options;
  const redis = openRedis(options.redisUrl, log, 0);
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const pauses = createPauses(again, log);

  const decide = async (job: Job): Promise<QueueVerdict> => {
    const name = job.name;
    if (!isJobName(name)) {
      // One of a newer release reached an older process during a rolling update; the sweepers of newer ones bring it again.
      log.warn('job of an unknown name left to others', { job: name });
      return { kind: 'forget' };
    }
    if (stopping.signal.aborted) return { kind: 'again', delayMs: 0 };
    try {
      return await handle({ job: name, runId: runIdOf(job.id), signal: stopping.signal });
    } catch (error) {
      log.error('job could not be handled, it comes again', { job: name, jobId: job.id, error });
      return { kind: 'again', delayMs: TROUBLE_DELAY_MS };
    }
  };

  const worker = new Worker(
    pool,
    async (job, token) => {
      const deciding = decide(job);
      underWay.add(deciding);
      const verdict = await deciding.finally(() => underWay.delete(deciding));
      if (verdict.kind === 'forget') return;
      if (verdict.delayMs > 0) return pauses.note(job, verdict.delayMs);
      await job.moveToWait(token);
      throw new WaitingError(); // tells BullMQ that the job has already been moved
    },
    {
      connection: redis,
      prefix: queuePrefix(options.prefix),
      concurrency: options.concurrency,
      lockDuration: options.leaseMs,
      stalledInterval: options.leaseMs,
      maxStalledCount: MAX_STALLED,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('completed', pauses.begin);
  // After an emptied Redis the lock of a running job is gone: its result still goes to Postgres.
  worker.on('error', (error) => log.warn('queue trouble', { pool, error }));
  worker.on('stalled', (jobId) => log.warn('job lost its process and comes again', { pool, jobId }));
  return {
    isRunning: () => worker.isRunning(),
    close: async () => {
      stopping.abort(new Error('this process is stopping'));
      pauses.drop();
      await Promise.allSettled(underWay);
      // Without Redis BullMQ would wait for it without end; what it could not be told, the sweeper of another process tells.
      await withinMs(Promise.allSettled([worker.close(redis.status !== 'ready')]), CLOSE_DEADLINE_MS);
      await closeRedis(redis);
    },
  };
}
