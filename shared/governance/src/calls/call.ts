import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { StepCondition } from '@signalbox/contracts/governance/plan';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Log } from '@signalbox/platform/log';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import type { CheckpointRow } from '@signalbox/store/conversation/checkpoints';
import type { Lane } from '@signalbox/store/conversation/lane';
import type { SaidWords } from '@signalbox/store/governance/governance-facts';
import type { RecordedDecision, RecordedReading } from '@signalbox/contracts/governance/execution-turn';
import type { ActionButton, OfferedButton, OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { mayQuoteUntrusted, type AppError, type ErrorCode } from '@signalbox/contracts/errors';
import type { CutRows } from '@signalbox/contracts/governance/long-result';
import { collectTexts } from '@signalbox/contracts/governance/outside';
import { sayError as sentence } from '@signalbox/messages/say';
import type { OwnedTool } from './tool.ts';

/** The agent's result of a call. `say` is for people; `result` and `code` for the model. */
export interface ToolCallResult {
  readonly ok: boolean;
  readonly result: unknown;
  readonly say: string;
  readonly code: ErrorCode | null;
  /** True when anything may have changed; false for reads and calls that did not run. */
  readonly changed: boolean;
  /** True when the result or failure contains text from outside, which is never an instruction. */
  readonly untrusted?: boolean;
  /** Values that the runtime made, as `field=value`: a later call may use them. */
  readonly made?: readonly string[];
  /** Suggested next actions, as buttons under the answer. */
  readonly next?: readonly (ActionButton | OfferedButton)[];
  readonly files?: readonly OutboundFile[];
  /** True when a model reads the result in parts; the ledger keeps it whole. */
  readonly isLong?: true;
  /** Where the newest rows of a long result are; absent: first. */
  readonly newest?: 'last';
  /** What a result of the record left out, with the handles of the rest. */
  readonly more?: readonly CutRows[];
  /** True when the call started a job that goes on; its end is an event. */
  readonly goesOn?: true;
  /** Conditions that this result meets, for the next step of a plan. */
  readonly meets?: readonly StepCondition[];
  /** Policy's question and answer, for the record only. */
  readonly decided?: RecordedDecision;
}

export interface ToolCall {
  readonly actionId: string;
  readonly tool: string;
  readonly args: unknown;
  /** Capability groups that are active in the thread. */
  readonly groups: readonly string[];
  /** The outside text that the model read before it proposed this call; null or absent when there was none. */
  readonly view?: TextInView | null;
}

/** What a model read before a call, as far as the call may come from it. */
export interface TextInView {
  /** Registered names, values that the runtime looked up, and values that it made, as `field=value`. They need no words of the person. */
  readonly made: readonly string[];
  /** Asks the clean reader whether the person asked for this act. A failure counts as “no”. */
  ask(act: ProposedAct): Promise<RecordedReading>;
}

/** An act for the clean reader. */
export interface ProposedAct {
  readonly tool: string;
  readonly input: unknown;
  /** What the person said in this conversation, newest first. */
  readonly words: readonly SaidWords[];
}

export interface RunnableCall extends OwnedTool {
  readonly actionId: string;
  readonly name: string;
  readonly input: unknown;
  /** The resolved arguments that policy or a person decided about. */
  readonly resolved?: ResolvedRefs | null;
  /** The steps of a plan; missing for other calls. */
  readonly steps?: readonly StepCall[];
}

/** A step of a plan. `if`: the condition about the step before. */
export interface StepCall {
  readonly call: RunnableCall;
  readonly if: StepCondition;
}

export interface CallScope {
  readonly lane: Lane;
  /** Returns the time by the clock of the database. */
  readonly now: () => Date;
  readonly turnId: string;
  /** The id of the turn's first message, which also identifies a resumed turn. */
  readonly turnKey: string;
  readonly threadId: string;
  readonly chatKey: string;
  readonly traceId: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  /** Accounts in whose name the actor asks, besides its own; none of these people may approve. */
  readonly askers?: readonly string[];
  readonly signal: AbortSignal;
  readonly log: Log;
  /** True when other people can read the chat. */
  readonly inGroup: boolean;
  /** Age of the turn's oldest words at arrival; absent for recent words. */
  readonly ageMs?: number;
  readonly agent: { readonly id: string; readonly class: AgentClass };
  enter(phase: 'GOVERNING' | 'EXECUTING' | 'OBSERVING'): void;
  /** Stores the thread's state; called before any effect. */
  flush(): Promise<void>;
  /** Stores the state in the same statement as other rows: `write` stores the given checkpoint or throws. */
  flushWith<T>(write: (checkpoint: CheckpointRow | null) => Promise<T>): Promise<T>;
  say(text: string, slot: string | null, key: string): Promise<void>;
}

/** The abort reason of a turn that a person stopped with /stop; its running jobs are canceled too. */
export class StoppedByPerson extends Error {
  constructor() {
    super('stopped by /stop');
    this.name = 'StoppedByPerson';
  }
}

/**
 * The result of a call that did not run or had no effect, in the catalog's words. `given`: its arguments, which the model knows. If the
 * words are untrusted, taint the thread first: see `reportFailure`.
 */
export function createFailedResult(error: AppError, given: unknown = null): ToolCallResult {
  const mark = mayQuoteUntrusted(error, collectTexts(given)) ? { untrusted: true } : {};
  const made = error.offers.length > 0 ? { made: error.offers } : {};
  const { code } = error;
  return { ok: false, result: null, say: sentence(code, error.data), code, changed: false, ...mark, ...made };
}
