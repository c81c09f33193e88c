import type { JobName, JobPayload, JobPool, JobResult, JobsOf } from '@signalbox/shared/contracts/jobs';
import type { Log } from '@signalbox/shared/log';

/** All that a running job may touch besides what its handler was made with. */
export interface JobContext {
  /** Fires at the deadline, when the process stops, and when another process took the run over: stop before writing. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** Writes how far it is, for whoever asks. Does nothing for an execution that a schedule started. */
  progress(done: number, total: number): Promise<void>;
  /**
   * The value behind a handle such as `secret:db-password`, if it belongs to the person who asked for this run; the purpose is
   * audited. What the run leaves behind (progress, result, failure) does not hold it. Throws SECRET_UNKNOWN, SECRET_UNREADABLE.
   */
  openSecret(handle: string, purpose: string): Promise<string>;
}

export interface JobHandler<P, R> {
  /** What it is called in sentences for people: `Indexing the documentation`. */
  readonly title: string;
  /** Does the work. It may be run again after a crash, so its effects are idempotent. */
  run(payload: P, context: JobContext): Promise<R>;
  /** The result in one or two sentences, for the person who asked. */
  say(result: R): string;
  /** Whether an execution that nobody asked for is worth a row. */
  isNotable(result: R): boolean;
}

/** The handlers that a process has: those of the pools that it runs. */
export type JobHandlers = { readonly [N in JobName]?: JobHandler<JobPayload<N>, JobResult<N>> };

/** One handler per job of a pool: a job without one does not compile. */
export type PoolHandlers<L extends JobPool> = { readonly [N in JobsOf<L>]: JobHandler<JobPayload<N>, JobResult<N>> };
