import { isJobName, JOBS, type JobPool } from '@signalbox/contracts/operations/jobs';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Runs } from '@signalbox/store/turns/runs';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Queue } from '@signalbox/platform/queue/queue';
import { startLoop } from '@signalbox/platform/loop';

/** A process that starts finds out this soon that an hourly job is due. */
const TICK_MOST_MS = MINUTE_MS;

/**
 * Repairs what Redis lost, every `everyMs` from now on: runs that Postgres knows and the queue does not. It also repairs a crash between
 * the intent and the queue, and a process that died with a run. Besides, it says when scheduled jobs may be due. Several at once do no harm.
 */
export function startSweeper(options: {
  readonly runs: Pick<Runs, 'sweep'>;
  readonly queue: Pick<Queue, 'enqueue' | 'tick'>;
  /** Whose schedules and lost runs are looked after: a process may put nothing into the queues of other pools. */
  readonly pools: readonly JobPool[];
  readonly everyMs: number;
  readonly leaseMs: number;
  readonly log: Log;
}): Closable {
  const { runs, queue, everyMs, leaseMs, log } = options;
  const names = Object.keys(JOBS).filter((job) => isJobName(job) && options.pools.includes(JOBS[job].pool));
  const sweep = async (): Promise<void> => {
    const lost = await runs.sweep(names, everyMs, leaseMs);
    for (const { runId, job, traceId } of lost) if (isJobName(job)) await queue.enqueue(job, { runId, traceId });
    if (lost.length > 0) log.info('waiting runs put into the queue again', { count: lost.length });
  };
  const loops = names.filter(isJobName).flatMap((job) => {
    const { everyMs: periodMs } = JOBS[job];
    if (periodMs === null) return [];
    return [startLoop({ name: job, everyMs: Math.min(periodMs, TICK_MOST_MS), log, step: () => queue.tick(job) })];
  });
  loops.push(startLoop({ name: 'sweep', everyMs, log, step: sweep }));
  return { close: async () => void (await Promise.all(loops.map((loop) => loop.close()))) };
}
