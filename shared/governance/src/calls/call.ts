import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Log } from '@signalbox/platform/log';
import type { Resolved } from '@signalbox/safety/cards/resolved';
import type { CheckpointRow } from '@signalbox/store/conversation/checkpoints';
import type { Lane } from '@signalbox/store/conversation/lane';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { ActionButton, OfferedButton, OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { quotesOutsiders, type AppError, type ErrorCode } from '@signalbox/contracts/errors';
import { collectTexts } from '@signalbox/contracts/governance/outside';
import { sayError as sentence } from '@signalbox/messages/say';
import type { OwnedTool } from './tool.ts';

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

/** A call whose input the schema has parsed. */
export interface Runnable extends OwnedTool {
  readonly actionId: string;
  readonly name: string;
  readonly input: unknown;
  /** What the input stands for, as it was decided about. */
  readonly resolved?: Resolved | null;
}

/** The turn on whose behalf a call is made. */
export interface CallScope {
  readonly lane: Lane;
  /** The time, by the database's clock. */
  readonly now: () => Date;
  readonly turnId: string;
  /** The id of the message that began the turn: the same when another worker goes on with it. */
  readonly turnKey: string;
  readonly threadId: string;
  readonly chatKey: string;
  readonly traceId: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Whether others read along. */
  readonly inGroup: boolean;
  /** How old the oldest words of the turn were when they came in. Left out when none was old. */
  readonly ageMs?: number;
  readonly agent: { readonly id: string; readonly class: AgentClass };
  /** Moves the turn on by its table. */
  enter(phase: 'GOVERNING' | 'EXECUTING' | 'OBSERVING'): void;
  /** Makes the thread's state durable; called before anything that has an effect. */
  flush(): Promise<void>;
  /** The same by a statement that writes more: `write` stores the checkpoint that it is given, if there is one, or throws. */
  flushWith<T>(write: (checkpoint: CheckpointRow | null) => Promise<T>): Promise<T>;
  say(text: string, slot: string | null, key: string): Promise<void>;
}

/** Why a turn ends when the person has sent /stop: what it has started elsewhere ends too. */
export class StoppedByPerson extends Error {
  constructor() {
    super('stopped by /stop');
    this.name = 'StoppedByPerson';
  }
}

/**
 * A call that did not run, or did nothing, in the catalog's words. `given`: its arguments, which the model has read before. Whoever lets a
 * model read one that is `untrusted` notes it first: see `tellFailure`.
 */
export function failure(error: AppError, given: unknown = null): ToolCallResult {
  const mark = quotesOutsiders(error, collectTexts(given)) ? { untrusted: true } : {};
  return { ok: false, result: null, say: sentence(error.code, error.data), code: error.code, changed: false, ...mark };
}
