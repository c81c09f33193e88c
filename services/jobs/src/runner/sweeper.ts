import { isJobName, JOBS, type JobPool } from '@signalbox/contracts/operations/jobs';
import type { Runs } from '@signalbox/store/conversation/runs';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Queue } from '@signalbox/platform/queue/queue';
import { startLoop } from '@signalbox/platform/loop';

/**
 * Repairs what Redis lost, every `everyMs` from now on: runs that Postgres knows and the queue does not, and schedules. It also
 * repairs a crash between the intent and the queue, and a process that died with a run. Several at once do no harm.
 */
export function startSweeper(options: {
  readonly runs: Pick<Runs, 'sweep'>;
  readonly queue: Pick<Queue, 'enqueue' | 'ensureSchedules'>;
  /** Whose schedules and lost runs are looked after: a process may put nothing into the queues of other pools. */
  readonly pools: readonly JobPool[];
  readonly everyMs: number;
  readonly leaseMs: number;
  readonly log: Log;
}): Closable {
  const { runs, queue, everyMs, leaseMs, log } = options;
  const jobs = Object.entries(JOBS).flatMap(([job, { pool }]) => (options.pools.includes(pool) ? [job] : []));
  const sweep = async (): Promise<void> => {
    for (const pool of options.pools) await queue.ensureSchedules(pool, new Date());
    const lost = await runs.sweep(jobs, everyMs, leaseMs);
    for (const { runId, job, traceId } of lost) if (isJobName(job)) await queue.enqueue(job, { runId, traceId });
    if (lost.length > 0) log.info('waiting runs put into the queue again', { count: lost.length });
  };
  return startLoop({ name: 'sweep', everyMs, log, step: sweep });
}
