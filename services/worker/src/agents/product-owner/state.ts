import type { BaseMessage } from '@langchain/core/messages';
import { Annotation } from '@langchain/langgraph';
import type {
  RecordedRequest,
  RecordedDecision,
  RecordedTurnRun,
} from '@signalbox/contracts/governance/execution-turn';
import type { ModelSpend } from '@signalbox/models/port';
import { addMessages } from '../add-messages.ts';
import type { EvaluationOutcome } from '../../loop/evaluation.ts';

/** 5: text from outside stands in envelopes, and calls are judged by value. 6: loaded groups stay; no count of their use. */
export const STATE_VERSION = 6;

/** Model usage of the turn whose first message has id `turnKey`. */
export interface TurnSpend extends ModelSpend {
  readonly turnKey: string;
}

/** What one node adds to the record of the turn (turn-record.ts). */
export type NodeRecord = { readonly turnKey: string; readonly run: RecordedTurnRun } & (
  | { readonly kind: 'read'; readonly asks: RecordedRequest[] }
  | {
      readonly kind: 'asked';
      readonly asks: RecordedRequest[];
      readonly answerId: string;
      /** Id of the answer at the provider; older states lack the field and derive `answerId` from the provider's id. */
      readonly modelId?: string | null;
      /** Reasoning of the model, kept out of the messages so that no later pass reads it. */
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

const lastValue = <T>(before: T, after: T): T => after ?? before;

const ERRORS_KEPT = 20;
const MEANT_KEPT = 50;

/** The state of a conversation, checkpointed after each step; JSON and messages only. Updates may omit `lastValue` fields. */
export const SessionState = Annotation.Root({
  stateVersion: Annotation<number>({ reducer: lastValue, default: () => STATE_VERSION }),
  threadId: Annotation<string>,
  userKey: Annotation<string>,
  telegramUserId: Annotation<number | null>({ reducer: lastValue, default: () => null }),
  chatKey: Annotation<string>,
  correlationId: Annotation<string | null>({ reducer: lastValue, default: () => null }),

  messages: Annotation<BaseMessage[]>({ reducer: addMessages, default: () => [] }),

  /** Values that the runtime looked up for the model's calls, such as the newest version; they need no words of the person. */
  meant: Annotation<string[]>({
    reducer: (before, after) => [...before, ...after].slice(-MEANT_KEPT),
    default: () => [],
  }),

  taskSummary: Annotation<string | null>({ reducer: lastValue, default: () => null }),
  currentProject: Annotation<string | null>({ reducer: lastValue, default: () => null }),

  /** Groups that were loaded on request, in order of loading; they stay for the conversation. */
  activeCapabilities: Annotation<string[]>({ reducer: lastValue, default: () => [] }),

  awaitingUserResponse: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  /** True when the model ended the turn because its task goes on after something that waits or runs. */
  taskGoesOn: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  userConfirmedComplete: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  poIterations: Annotation<number>({ reducer: (_, after) => after, default: () => 0 }),
  limitReached: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  /** Verdict of the judge on the last pass; reset by each new message. */
  verdict: Annotation<EvaluationOutcome>({ reducer: (_, after) => after, default: () => 'continue' }),
  /** Id of the message that ended the thread; later messages of the batch start the next thread. */
  finishedAfter: Annotation<string | null>({ reducer: (_, after) => after, default: () => null }),

  isContinuation: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),
  skipIntentParser: Annotation<boolean>({ reducer: (_, after) => after, default: () => false }),

  /** Model usage of the newest turn; a resumed turn counts it again, because its record is not written yet. */
  spent: Annotation<TurnSpend[]>({
    reducer: (before, after) => [...before.filter(({ turnKey }) => turnKey === after[0]?.turnKey), ...after],
    default: () => [],
  }),

  /** Parts of the newest turn's record, which is written when the turn ends. */
  record: Annotation<NodeRecord[]>({
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
