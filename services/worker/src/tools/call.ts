import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { ActionButton, OfferedButton, OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { saysWords, type AppError, type ErrorCode } from '@signalbox/contracts/errors';
import { textsOf } from '@signalbox/contracts/governance/outside';
import { sayError as sentence } from '@signalbox/messages/say';

/** What the agent gets back. `say` is for people; `result` and `code` are for the model. */
export interface ToolCallResult {
  readonly ok: boolean;
  readonly result: unknown;
  readonly say: string;
  readonly code: ErrorCode | null;
  /** Whether anything may have changed: false for reads and for calls that did not run. */
  readonly changed: boolean;
  /** It carries text from outside, which is never an instruction: the result does, or the sentence of a failure. */
  readonly untrusted?: boolean;
  /** What may be done next, as buttons under the answer. */
  readonly next?: readonly (ActionButton | OfferedButton)[];
  /** Files that go with the answer. */
  readonly files?: readonly OutboundFile[];
  /** What policy was asked, and said: for the record, not for the model. */
  readonly decided?: RecordedDecision;
}

export interface ToolCall {
  readonly actionId: string;
  readonly tool: string;
  readonly args: unknown;
  /** Capability groups that are active in the thread. */
  readonly groups: readonly string[];
}

/**
 * A call that did not run, or did nothing, in the catalog's words. `given`: its arguments, which the model has read before. Whoever lets a
 * model read one that is `untrusted` notes it first: see `tellFailure`.
 */
export function failure(error: AppError, given: unknown = null): ToolCallResult {
  const mark = saysWords(error, textsOf(given)) ? { untrusted: true } : {};
  return { ok: false, result: null, say: sentence(error.code, error.data), code: error.code, changed: false, ...mark };
}
