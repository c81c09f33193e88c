import { firstJobOf, JOBS, type JobName, type JobPayload } from '@signalbox/contracts/operations/jobs';
import type { Log } from '../log.ts';
import type { Queue } from './queue.ts';

interface RequestedRun<Job, Payload> {
  readonly runId: string;
  readonly job: Job;
  readonly payload: Payload;
  readonly person: { readonly userKey: string; readonly chatKey: string } | null;
  readonly threadId: string | null;
  readonly traceId: string;
  /** Of whose request it is, and what was asked: a run of the same id that is another's is refused with ACTION_ID_TAKEN. */
  readonly requestHash?: string;
}

/** The part of the store that is needed here; the queue does not know the database. */
export interface RunWriter {
  create(intent: RequestedRun<string, unknown>): Promise<boolean>;
}

/**
 * Starts a job for a person: first the intent in Postgres, then the queue. The run id is the action id that asked for it, so
 * calling twice starts one run. Throws ACTION_ID_TAKEN, and when Postgres refuses; what the queue did not take is put there by the sweeper
 * of the job service.
 */
export async function enqueueRun<N extends JobName>(
  parts: { readonly runs: RunWriter; readonly queue: Pick<Queue, 'enqueue'>; readonly log: Log },
  run: RequestedRun<N, JobPayload<N>>,
): Promise<{ readonly runId: string }> {
  const { runId, job, traceId } = run;
  await parts.runs.create({ ...run, payload: JOBS[job].payload.parse(run.payload) });
  await parts.queue.enqueue(firstJobOf(job), { runId, traceId }).catch((error: unknown) => {
    parts.log.warn('queue did not take a run; the sweeper will', { runId, job, error });
  });
  return { runId };
}
