import type { JobName, JobPayload, JobPool, JobResult, JobsOf } from '@signalbox/contracts/operations/jobs';
import type { RunMessageOptions } from '@signalbox/store/turns/runs';
import type { Log } from '@signalbox/platform/log';

export interface JobContext {
  /** Id of the run, which is the id of the requesting action; a scheduled execution has an id of its own. */
  readonly runId: string;
  /** Number of the attempt, from 1. An attempt that ended because its process stopped does not count. */
  readonly attempt: number;
  /** The person and thread that requested the job; null for a scheduled execution. */
  readonly owner: { readonly userKey: string; readonly threadId: string | null } | null;
  /** Aborts at the deadline, when the process stops, and when the run is lost; write nothing after that. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** Stores progress. Does nothing for a scheduled execution. */
  progress(done: number, total: number): Promise<void>;
  /**
   * Sends a message to the requester's chat at once. A message of the same slot edits the earlier message, also in a later attempt; an
   * unchanged text is not sent again. The slot's last message is dropped when the message to edit was deleted or is too old. Does nothing
   * without a requester, or when the run was lost.
   */
  tell(text: string, options: { readonly slot: string } & RunMessageOptions): Promise<void>;
  /**
   * Opens a secret such as `secret:db-password` of the requester, audited with the purpose. Messages, results and errors are redacted of
   * its value. Jobs of the pool `deploy` may name another `owner`, who is audited too. Throws SECRET_UNKNOWN, SECRET_UNREADABLE.
   */
  openSecret(handle: string, purpose: string, owner?: string): Promise<string>;
}

export interface JobHandler<P, R> {
  /** Returns the job's title for people: `Indexing the documentation`. */
  readonly title: () => string;
  /** Does the job's work. A crash may repeat the work, so its effects must be idempotent. */
  run(payload: P, context: JobContext): Promise<R>;
  /** Describes the result to the requester in one or two sentences; empty when the requester already got it. */
  say(result: R): string;
  /** True when what `say` returns quotes nothing that others wrote; by default it may. */
  isOwn?(result: R): boolean;
  /** Describes the result in one short line for approval cards; by default the first line of `say`. */
  brief?(result: R): string;
  /** True when a scheduled execution is worth storing; by default always. */
  isNotable?(result: R): boolean;
}

export type HandlerOf<N extends JobName> = JobHandler<JobPayload<N>, JobResult<N>>;

/** Handlers of the pools that a process runs. */
export type JobHandlers = { readonly [N in JobName]?: HandlerOf<N> };

/** One handler per job of a pool: a job without one does not compile. */
export type PoolHandlers<L extends JobPool> = { readonly [N in JobsOf<L>]: HandlerOf<N> };
