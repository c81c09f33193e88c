import type { JobName, JobPayload, JobPool, JobResult, JobsOf } from '@signalbox/contracts/operations/jobs';
import type { TellOptions } from '@signalbox/store/turns/runs';
import type { Log } from '@signalbox/platform/log';

/** Context of a running job. */
export interface JobContext {
  /** Run id, which is the id of the requesting action; a scheduled execution has its own. */
  readonly runId: string;
  /** Attempt, from 1; not increased when a stopping process returned the run. */
  readonly attempt: number;
  /** Requester and thread; null for a scheduled run. */
  readonly owner: { readonly userKey: string; readonly threadId: string | null } | null;
  /** Aborts at the deadline, when the process stops, and when the run is lost: stop before writing. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** Stores progress. Does nothing for a scheduled execution. */
  progress(done: number, total: number): Promise<void>;
  /**
   * Sends a message to the chat of the waiting person at once. Messages of one slot edit one another, even over attempts; an unchanged text
   * is not repeated. The last message of a slot is not sent when the one to edit was deleted or is too old. Sends nothing without a waiting
   * person, or when the run was lost.
   */
  tell(text: string, options: { readonly slot: string } & TellOptions): Promise<void>;
  /**
   * Opens a secret such as `secret:db-password` of the requester; audited with the purpose. Progress, messages, results and failures are
   * redacted of it. Jobs of the pool `deploy` may name another `owner`, since variables have other givers; audited with both. Throws
   * SECRET_UNKNOWN, SECRET_UNREADABLE.
   */
  openSecret(handle: string, purpose: string, owner?: string): Promise<string>;
}

export interface JobHandler<P, R> {
  /** Title in sentences for people: `Indexing the documentation`. */
  readonly title: () => string;
  /** Does the work. It may be run again after a crash, so its effects are idempotent. */
  run(payload: P, context: JobContext): Promise<R>;
  /** Result in one or two sentences for the requester; empty when it was already sent. */
  say(result: R): string;
  /** Result in one short line for approval cards; default: the first line of `say`. */
  brief?(result: R): string;
  /** True when a scheduled execution is worth a row; default: always. */
  isNotable?(result: R): boolean;
}

/** The handler of a job, by its name. */
export type HandlerOf<N extends JobName> = JobHandler<JobPayload<N>, JobResult<N>>;

/** Handlers of the pools that a process runs. */
export type JobHandlers = { readonly [N in JobName]?: HandlerOf<N> };

/** One handler per job of a pool: a job without one does not compile. */
export type PoolHandlers<L extends JobPool> = { readonly [N in JobsOf<L>]: HandlerOf<N> };
