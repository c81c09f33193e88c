import { getFirstJob, JOBS, type JobName, type JobPayload } from '@signalbox/contracts/operations/jobs';
import type { Log } from '../log.ts';
import type { Queue } from './queue.ts';

interface RequestedRun<Job, Payload> {
  readonly runId: string;
  readonly job: Job;
  readonly payload: Payload;
  readonly person: { readonly userKey: string; readonly chatKey: string } | null;
  readonly threadId: string | null;
  readonly traceId: string;
  /** Hash of the requester and the arguments. An existing run of the same id with another hash is refused with ACTION_ID_TAKEN. */
  readonly requestHash?: string;
}

/** The writer of a run's row, passed in because this package must not import the store. */
export interface RunWriter {
  create(run: RequestedRun<string, unknown>): Promise<boolean>;
}

/**
 * Starts a job for a person: first its row in Postgres, then the queue. The run id is the id of the requesting action, so calling twice
 * starts one run. Throws ACTION_ID_TAKEN, and when Postgres fails. When Redis fails, the sweeper of the job service enqueues the run later.
 */
export async function enqueueRun<N extends JobName>(
  deps: { readonly runs: RunWriter; readonly queue: Pick<Queue, 'enqueue'>; readonly log: Log },
  run: RequestedRun<N, JobPayload<N>>,
): Promise<{ readonly runId: string }> {
  const { runId, job, traceId } = run;
  await deps.runs.create({ ...run, payload: JOBS[job].payload.parse(run.payload) });
  await deps.queue.enqueue(getFirstJob(job), { runId, traceId }).catch((error: unknown) => {
    deps.log.warn('queue did not take a run; the sweeper will', { runId, job, error });
  });
  return { runId };
}
