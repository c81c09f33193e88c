import { isJobName, JOBS, type JobPool } from '@signalbox/contracts/operations/jobs';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { RunStore } from '@signalbox/store/turns/runs';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Queue } from '@signalbox/platform/queue/queue';
import { startLoop } from '@signalbox/platform/loop';

/** Maximum delay until a starting process checks hourly jobs. */
const MAX_TICK_MS = MINUTE_MS;

/** Repairs the queue every `everyMs`: enqueues lost or abandoned runs, and schedules due jobs. Safe in several processes. */
export function startSweeper(options: {
  readonly runs: Pick<RunStore, 'sweep'>;
  readonly queue: Pick<Queue, 'enqueue' | 'tick'>;
  /** Pools to sweep: a process may not write into the queues of other pools. */
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
    return [startLoop({ name: job, everyMs: Math.min(periodMs, MAX_TICK_MS), log, step: () => queue.tick(job) })];
  });
  loops.push(startLoop({ name: 'sweep', everyMs, log, step: sweep }));
  return { close: async () => void (await Promise.all(loops.map((loop) => loop.close()))) };
}
