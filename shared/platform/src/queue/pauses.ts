import { isJobName } from '@signalbox/contracts/operations/jobs';
import type { Log } from '../log.ts';
import { runIdOf } from './names.ts';
import type { Queue } from './queue.ts';

/** A job as the queue has it. */
interface Paused {
  readonly name: string;
  readonly id?: string | undefined;
  readonly data: unknown;
}

/**
 * Pauses of runs that are tried again later, by the monotonic clock of this process. A run is out of the queue in its pause, and `again`
 * puts it back; the sweeper does that for one whose process ended. A scheduled execution needs none: the next one comes by itself.
 */
export function createPauses(again: Queue['enqueue'], log: Log) {
  const noted = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const bring = async ({ name, id, data }: Paused): Promise<void> => {
    const runId = runIdOf(id);
    if (!isJobName(name) || runId === null) return;
    const traceId = (data as { traceId?: string } | null)?.traceId ?? ''; // as `enqueue` wrote it
    await again(name, { runId, traceId }).catch((error: unknown) =>
      log.warn('queue did not take a run; the sweeper will', { runId, job: name, error }),
    );
  };
  return {
    /** Says how long a job is to pause once it has left the queue, in milliseconds. */
    note: ({ id = '' }: Paused, delayMs: number): void => void noted.set(id, delayMs),
    /** Begins the pause of a job that has left the queue, if one was noted. */
    begin: (job: Paused): void => {
      const delayMs = noted.get(job.id ?? '');
      if (delayMs === undefined) return;
      noted.delete(job.id ?? '');
      const timer = setTimeout(() => {
        timers.delete(timer);
        void bring(job);
      }, delayMs);
      timers.add(timer);
    },
    /** Ends all pauses without putting anything back. */
    drop: (): void => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
