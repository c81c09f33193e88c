import type { BaseMessage } from '@langchain/core/messages';
import { Annotation } from '@langchain/langgraph';
import type { RecordedAsk, RecordedDecision, RecordedRun } from '@signalbox/contracts/governance/execution-turn';
import type { ModelSpend } from '@signalbox/models/port';
import { addMessages } from '../add-messages.ts';
import type { IdleTurns } from './groups.ts';
import type { EvaluationOutcome } from '../../loop/evaluation.ts';

/** The shape of the state below. */
export const STATE_VERSION = 4;

/** What a model used for the turn whose first message has this id. */
export interface TurnSpend extends ModelSpend {
  readonly turnKey: string;
}

/** What a node leaves for the record of its turn, see turn-record.ts. `run`: the run of the turn that it was a part of. */
export type TurnPart = { readonly turnKey: string; readonly run: RecordedRun } & (
  | { readonly kind: 'read'; readonly asks: RecordedAsk[] }
  | {
      readonly kind: 'asked';
      readonly asks: RecordedAsk[];
      readonly answerId: string;
      /** The id that the model's server gave. Missing in states of before, whose `answerId` was made of it. */
      readonly modelId?: string | null;
      /** The model's own reasons. They stand here and not in the messages: no model is given them again. */
      readonly reasoning?: string;
    }
  | {
      readonly kind: 'acted';
      readonly phases: string[];
      readonly calls: {
        readonly callId: string;
        readonly decided: RecordedDecision | null;
        readonly durationMs: number;
      }[];
      readonly outcome: string;
    }
);

/** Keeps the last value that is not null. */
const lastValue = <T>(before: T, after: T): T => after ?? before;

/** How many errors a thread remembers: enough to see a pattern, few enough to stay small. */
const ERRORS_KEPT = 20;

/**
 * The state of one conversation, checkpointed after each step. Everything in it is JSON or a message.
 * A field whose reducer is `lastValue` can be left out of an update.
 */
export const SessionState = Annotation.Root({
  // Identity
  stateVersion: Annotation<number>({ reducer: lastValue, default: () => STATE_VERSION }),
  threadId: Annotation<string>,
  userKey: Annotation<string>,
  /** Telegram's numeric id, when the person is there. */
  telegramUserId: Annotation<number | null>({ reducer: lastValue, default: () => null }),
  chatKey: Annotation<string>,
  correlationId: Annotation<string | null>({ reducer: lastValue, default: () => null }),

  // Conversation
  messages: Annotation<BaseMessage[]>({ reducer: addMessages, default: () => [] }),

  // Task
  taskSummary: Annotation<string | null>({ reducer: lastValue, default: () => null }),
  currentProject: Annotation<string | null>({ reducer: lastValue, default: () => null }),

  // Capabilities: groups are loaded when they are needed, and unloaded when a turn begins that has long not used them
  activeCapabilities: Annotation<string[]>({ reducer: lastValue, default: () => [] }),
  idleTurns: Annotation<IdleTurns>({ reducer: lastValue, default: () => ({}) }),

  // Control flow
  awaitingUserResponse: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  userConfirmedComplete: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  /** Passes in this turn; reset by each new message. */
  poIterations: Annotation<number>({ reducer: (_, after) => after, default: () => 0 }),
  limitReached: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  /** What the judge said of the last pass; a new message resets it. */
  verdict: Annotation<EvaluationOutcome>({ reducer: (_, after) => after, default: () => 'continue' }),
  /** The message after which the thread ended; later ones of the batch start the next thread. */
  finishedAfter: Annotation<string | null>({ reducer: (_, after) => after, default: () => null }),

  // Routing
  isContinuation: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  skipIntentParser: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),

  /** What models used for the newest turn that used any: a resumed turn counts it again, because its record is not written yet. */
  spent: Annotation<TurnSpend[]>({
    reducer: (before, after) => [...before.filter(({ turnKey }) => turnKey === after[0]?.turnKey), ...after],
    default: () => [],
  }),

  /** What the newest turn leaves for its record, which is written when it ends. */
  record: Annotation<TurnPart[]>({
    reducer: (before, after) => [...before.filter(({ turnKey }) => turnKey === after[0]?.turnKey), ...after],
    default: () => [],
  }),

  errors: Annotation<string[]>({
    reducer: (before, after) => [...before, ...after].slice(-ERRORS_KEPT),
    default: () => [],
  }),
});

export type SessionState = typeof SessionState.State;
export type SessionUpdate = typeof SessionState.Update;
