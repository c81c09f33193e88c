import { isJobName } from '@signalbox/contracts/operations/jobs';
import type { Log } from '../log.ts';
import { toRunId } from './names.ts';
import type { Queue } from './queue.ts';

interface PausedJob {
  readonly name: string;
  readonly id?: string | undefined;
  readonly data: unknown;
}

/**
 * Delays of runs that are retried, by the monotonic clock of this process. A delayed run is out of the queue until `enqueue` puts it
 * back; when its process ends before that, the sweeper does. Scheduled executions are not delayed: the next one comes by itself.
 */
export function createRetryDelays(enqueue: Queue['enqueue'], log: Log) {
  const delays = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const requeue = async ({ name, id, data }: PausedJob): Promise<void> => {
    const runId = toRunId(id);
    if (!isJobName(name) || runId === null) return;
    const traceId = (data as { traceId?: string } | null)?.traceId ?? ''; // as `enqueue` wrote it
    await enqueue(name, { runId, traceId }).catch((error: unknown) =>
      log.warn('queue did not take a run; the sweeper will', { runId, job: name, error }),
    );
  };
  return {
    /** Sets the delay of a job that is about to leave the queue, in milliseconds. */
    set: ({ id = '' }: PausedJob, delayMs: number): void => void delays.set(id, delayMs),
    /** Starts the delay of a job that has left the queue, if one was set. */
    start: (job: PausedJob): void => {
      const delayMs = delays.get(job.id ?? '');
      if (delayMs === undefined) return;
      delays.delete(job.id ?? '');
      const timer = setTimeout(() => {
        timers.delete(timer);
        void requeue(job);
      }, delayMs);
      timers.add(timer);
    },
    /** Cancels all delays without enqueuing anything. */
    cancel: (): void => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
