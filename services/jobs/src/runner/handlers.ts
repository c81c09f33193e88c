import type { JobName, JobPayload, JobPool, JobResult, JobsOf } from '@signalbox/contracts/operations/jobs';
import type { TellOptions } from '@signalbox/store/turns/runs';
import type { Log } from '@signalbox/platform/log';

/** All that a running job may touch besides what its handler was made with. */
export interface JobContext {
  /** Of this run, which is the id of the action that asked for it; of a scheduled execution, one of its own. */
  readonly runId: string;
  /** Counts from 1; a run that was given back by a process that stopped has the same number again. */
  readonly attempt: number;
  /** Who asked for this run, and in which thread; null for what a schedule started, and for what nobody asked for. */
  readonly owner: { readonly userKey: string; readonly threadId: string | null } | null;
  /** Fires at the deadline, when the process stops, and when another process took the run over: stop before writing. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** Writes how far it is, for whoever asks. Does nothing for an execution that a schedule started. */
  progress(done: number, total: number): Promise<void>;
  /**
   * Sends a message to the chat of whoever waits for this run, at once. Messages of one slot of a run edit one another, those of
   * an interrupted attempt too; the same text twice in a row is one. The last one of a slot is no new message when the one that it
   * changes was deleted or is too old. Says nothing when nobody waits for the run, as for a schedule, and once another process has
   * taken it over.
   */
  tell(text: string, options: { readonly slot: string } & TellOptions): Promise<void>;
  /**
   * The value behind a handle such as `secret:db-password`, if it belongs to the person who asked for this run; the purpose is
   * audited. What the run leaves behind (progress, messages, result, failure) does not hold it. A job of the pool `deploy` may
   * name another `owner`, as variables of a service were given by other people than the one who deploys; audited with both.
   * Throws SECRET_UNKNOWN, SECRET_UNREADABLE.
   */
  openSecret(handle: string, purpose: string, owner?: string): Promise<string>;
}

export interface JobHandler<P, R> {
  /** What it is called in sentences for people: `Indexing the documentation`. */
  readonly title: () => string;
  /** Does the work. It may be run again after a crash, so its effects are idempotent. */
  run(payload: P, context: JobContext): Promise<R>;
  /** The result in one or two sentences, for the person who asked; empty when it said all of it while it ran. */
  say(result: R): string;
  /** The same in one short line, for the card of whoever approved it; the first line of `say` without one. */
  brief?(result: R): string;
  /** Whether an execution that nobody asked for is worth a row; without it each is. */
  isNotable?(result: R): boolean;
}

/** The handler of a job, by its name. */
export type HandlerOf<N extends JobName> = JobHandler<JobPayload<N>, JobResult<N>>;

/** The handlers that a process has: those of the pools that it runs. */
export type JobHandlers = { readonly [N in JobName]?: HandlerOf<N> };

/** One handler per job of a pool: a job without one does not compile. */
export type PoolHandlers<L extends JobPool> = { readonly [N in JobsOf<L>]: HandlerOf<N> };
