import type { BaseMessage } from '@langchain/core/messages';
import { Annotation } from '@langchain/langgraph';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import type { RecordedRequest, RecordedCall, RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import type { ModelSpend } from '@signalbox/models/port';
import { addMessages } from '../agents/add-messages.ts';
import type { Device, RequestedAction, TurnInput, OutputMode } from './spec.ts';

/** An event that an agent sends. No channel sends `server.audit.event`. */
export type ServerEvent = { readonly turnKey: string } & (
  | {
      readonly type: 'server.a2ui.patch';
      readonly key: string;
      /** The id of the message that led to it. */
      readonly about: string;
      readonly payload: {
        readonly surfaceId: string;
        readonly text: string;
        readonly buttons: readonly OfferedButton[];
        /** The slot of the message that shows a view; a message with the same slot is edited in place. */
        readonly slot?: string;
        /** The view's name, and the action that led to it; missing for other messages, and in states of earlier releases. */
        readonly shows?: { readonly view: string; readonly action: string };
      };
    }
  | { readonly type: 'server.audit.event'; readonly payload: Readonly<Record<string, string>> }
);

/** A node's part of the turn's record; `turnKey` is the id of the turn's first message. */
export type NodeRecord = { readonly turnKey: string; readonly run: RecordedTurnRun } & (
  | { readonly kind: 'read'; readonly asks: RecordedRequest[] }
  | {
      readonly kind: 'acted';
      readonly answerId: string;
      readonly phases: string[];
      readonly calls: (RecordedCall & { readonly tool: string; readonly args: Record<string, unknown> })[];
      readonly outcome: string;
    }
);

/**
 * An action of a person. `by` says what read it: `person` for a button, for the agent's own rules and for a model that saw nothing from
 * outside; `model` for one that did; `outside` for words that the person passed on.
 */
export interface Act extends RequestedAction {
  readonly by: 'person' | 'model' | 'outside';
}

/** The actions of the newest message. */
export interface MessageActs {
  readonly current: Act | null;
  readonly next: readonly Act[];
  /** True when the current action was open before. */
  readonly isAgain?: boolean;
  /** True when the last action, or all actions until now, only answered a question of the person. */
  readonly isAnswer?: boolean;
  readonly isAnswered?: boolean;
}

export interface TurnRouting {
  readonly sessionId: string;
  readonly agentId: string;
  readonly heard: TurnInput;
  readonly next: string;
  readonly by: Act['by'];
  /** The last node's wish for the action: see NodeOutcome. */
  readonly open?: 'keep' | 'wait' | 'drop' | undefined;
}

const latest = <T>(before: T, after: T): T => after ?? before;
const replace = <T>(_before: T, after: T): T => after;
const ofTurn = <T extends { readonly turnKey: string }>(before: readonly T[], after: readonly T[]): readonly T[] => [
  ...before.filter(({ turnKey }) => turnKey === after[0]?.turnKey),
  ...after,
];

/** The state of a conversation with a guided agent, checkpointed after each node. Everything in it is JSON or a message. */
export const GuidedState = Annotation.Root({
  stateVersion: Annotation<number>({ reducer: latest, default: () => 0 }),
  mode: Annotation<OutputMode>({ reducer: latest, default: () => 'text' }),
  device: Annotation<Device>({ reducer: latest, default: () => 'desktop' }),
  transcript: Annotation<string>({ reducer: latest, default: () => '' }),
  messages: Annotation<BaseMessage[]>({ reducer: addMessages, default: () => [] }),
  /** `state`: the current view, shown in the message of this slot. */
  ui: Annotation<{
    readonly surfaceId: string;
    readonly state: string;
    readonly awaits: boolean;
    readonly slot?: string;
  }>({ reducer: latest, default: () => ({ surfaceId: 'main', state: '', awaits: false }) }),
  /** The page mode of the newest message's author; a change updates mode and device. */
  reads: Annotation<PageMode | null>({ reducer: latest, default: () => null }),
  errors: Annotation<Readonly<Record<string, string>> | null>({ reducer: replace, default: () => null }),
  pendingAction: Annotation<{ readonly id: string; readonly data: unknown } | null>({
    reducer: replace,
    default: () => null,
  }),
  acts: Annotation<MessageActs>({
    reducer: replace,
    default: () => ({ current: null, next: [] }),
  }),
  /** Actions that were asked for and wait until nothing else is awaited, the oldest first. */
  open: Annotation<readonly Act[]>({ reducer: latest, default: () => [] }),
  /** True once the conversation holds text from outside: a forward, words of others in an event, a tool's result. */
  outside: Annotation<boolean>({ reducer: latest, default: () => false }),
  /** Values that were read from text from outside and that the person did not say. */
  borrowed: Annotation<readonly string[]>({ reducer: latest, default: () => [] }),
  outbox: Annotation<readonly ServerEvent[]>({ reducer: ofTurn, default: () => [] }),
  meta: Annotation<TurnRouting>({
    reducer: latest,
    default: () => ({ sessionId: '', agentId: '', heard: { kind: 'words', text: '' }, next: '', by: 'person' }),
  }),
  domain: Annotation<Readonly<Record<string, unknown>>>({
    reducer: (before, after) => ({ ...before, ...after }),
    default: () => ({}),
  }),
  /** Model usage of the newest turn; a resumed turn counts it again. */
  spent: Annotation<readonly (ModelSpend & { readonly turnKey: string })[]>({ reducer: ofTurn, default: () => [] }),
  record: Annotation<readonly NodeRecord[]>({ reducer: ofTurn, default: () => [] }),
});

export type GuidedState = typeof GuidedState.State;
export type GuidedStateUpdate = typeof GuidedState.Update;

/** Channels that are stored as empty lists once their turn has ended. */
export const TURN_CHANNELS = ['outbox', 'spent', 'record'] satisfies (keyof GuidedState)[];
