import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { OfferedButton, OutboundFile, Receipt } from '@signalbox/contracts/conversation/envelope';
import type { AgentClass } from '@signalbox/contracts/governance/action';
import type {
  PassRecord,
  PromptContext,
  RecordedMessage,
  RecordedTurnRun,
} from '@signalbox/contracts/governance/execution-turn';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { RuntimeEvent } from '@signalbox/contracts/governance/runtime-event';
import type { Model, ModelSpend, Picture } from '@signalbox/models/port';
import type { OutsideMark } from '@signalbox/models/runtime-events';
import type { ContextScope } from '@signalbox/store/turns/context-rows';
import type { TextInView, ToolCallResult } from '@signalbox/governance/calls/call';
import type { GraphNode } from '../tools/ports/graph-nodes.ts';
import type { KnowledgeQuery, KnowledgeReader } from '../tools/search/hit.ts';
import type { ResultRequest } from '../tools/read-result.ts';
import type { OfferedTools } from '../tools/registry.ts';
import type { EvaluationOutcome, PassSummary } from '../loop/evaluation.ts';
import type { AskedArgument, resolveNewestArgs } from '../tools/choices.ts';
import type { Phase } from '../loop/fsm.ts';
import type { LoadedGroups } from '@signalbox/governance/loading';
import type { OtherAgent } from './handoff.ts';

/** One message of a batch, in the form that an agent receives. */
export interface AgentMessage {
  /** Id of the envelope; a thread processes each message once. */
  readonly id: string;
  readonly text: string;
  /** Set for a system event, such as the end of a job; null for a typed message. */
  readonly event:
    | RuntimeEvent
    /** Request to run a graph node again. `about`: id of the message whose turn failed; the newest message when missing. */
    | { readonly kind: 'node'; readonly say: string; readonly node: string; readonly about?: string | undefined }
    /** The person switched how the page shows answers. Only agents that draw views receive this event. */
    | ({ readonly kind: 'mode' } & PageMode)
    | null;
  readonly reads?: PageMode | undefined;
  /** Set for text that others may have written. */
  readonly outside?: OutsideMark | undefined;
}

/** What an agent can use during one run. Only `call` has effects. */
export interface AgentRun {
  readonly turnId: string;
  readonly threadId: string;
  readonly traceId: string;
  readonly chatKey: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly signal: AbortSignal;
  /** Pictures in this turn's messages, which only the model sees; missing for models without vision. */
  readonly pictures?: readonly Picture[];
  /** Returns the id of the answer in a pass (from 1), the same in a resumed turn. Call ids derive from it (`makeCallId`). */
  answerId(turnKey: string, pass: number): string;
  /** Runs one tool call under governance. A failed tool gives a result; the promise rejects only when the lane was lost. */
  call(request: {
    readonly callId: string;
    readonly tool: string;
    readonly args: unknown;
    readonly groups: readonly string[];
    /** The outside text that led to the call; null when there was none. */
    readonly view: TextInView | null;
  }): Promise<ToolCallResult>;
  /** Look-ups that run before an answer is stored; missing in a replay. */
  readonly lookUp?: {
    /** Returns possible values for one argument of a tool, likeliest first; empty when none are known. */
    choices(callId: string, asked: AskedArgument): Promise<readonly string[]>;
    /** Replaces “the newest” in a call's arguments by its current value; null when the arguments contain no such words. */
    meant(callId: string, tool: string, args: Readonly<Record<string, unknown>>): ReturnType<typeof resolveNewestArgs>;
  };
  /** Returns who searches for the call of this id, and what policy lets them read. */
  reader(callId: string): KnowledgeReader;
  /** Marks the conversation as tainted before the agent reads outside text without a tool call. */
  reads(source: string): Promise<void>;
  /** Moves the turn to a phase: see loop/fsm.ts. Throws on an invalid transition. */
  enter(next: Phase): void;
  path(): readonly Phase[];
  /** Asks policy which of these capability groups this conversation may load. */
  load(groups: readonly string[]): Promise<LoadedGroups>;
  /** Returns those of these groups that this conversation may load, loaded or not. */
  offer(groups: readonly string[]): Promise<readonly string[]>;
  /** Returns the loaded groups that the turn may keep, and records removed ones. */
  keep(groups: readonly string[]): Promise<readonly string[]>;
  /** Judges a pass by fixed rules, without a model. */
  judge(pass: PassSummary): Promise<EvaluationOutcome>;
  say(reply: AgentReply): Promise<void>;
  /** Shows the given markdown, which is all text not sent yet, as a draft. `say` and the end of the turn remove the draft. */
  draft(text: string): void;
  /** Counts model usage for this turn, even when the turn fails later. */
  spent(spend: ModelSpend): void;
  /** Logs a warning for operators, without texts of people; missing in a replay. */
  warn?(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface AgentReply {
  readonly key: string;
  readonly text: string;
  readonly buttons: readonly OfferedButton[];
  /** Slot of the reply: replies of a thread with the same slot are one message, and a newer reply replaces the older. */
  readonly slot?: string;
  /** True to edit only the message in the slot and keep its receipts; nothing is sent when the slot has no message. */
  readonly onlyChanges?: true;
  readonly files?: readonly OutboundFile[];
  readonly receipts?: readonly Receipt[];
}

export interface AgentRecord {
  readonly passes: readonly PassRecord[];
  readonly messages: readonly RecordedMessage[];
  readonly isNew: boolean;
  readonly run: RecordedTurnRun;
}

export interface ThreadStates extends BaseCheckpointSaver {
  /** Returns the newest values of a conversation during a turn, stored or not; empty when there are none. */
  newest(threadId: string): Readonly<Record<string, unknown>>;
}

export interface AgentResult {
  readonly outcome: 'answered' | 'waiting' | 'finished' | 'limit';
  /** All replies of this turn in order, including those that `say` sent. */
  readonly replies: readonly AgentReply[];
  /** True when the conversation notes that the person reads the runtime's own sentences about the events of this turn. */
  readonly tellsEvents?: true;
  /** True when the turn only refused the person; other members of a group do not see such a turn. */
  readonly personal: boolean;
  /** Ids of messages that arrived after the end of the thread; the next turn processes these messages. */
  readonly unhandled: readonly string[];
  readonly passes: number;
  readonly toolCalls: number;
  /** The person's request in the words of the model; null when the model gave no summary. */
  readonly task: string | null;
  readonly record: AgentRecord;
}

export interface Agent {
  readonly sees?: true;
  /** True when the agent's views depend on the reader's mode and device. */
  readonly draws?: true;
  /** Runs passes until the turn ends. `resume`: true continues from the checkpoint of an earlier run. */
  run(input: {
    readonly messages: readonly AgentMessage[];
    readonly run: AgentRun;
    readonly resume: boolean;
    readonly threadNew: boolean;
  }): Promise<AgentResult>;
  /**
   * Appends text that the runtime showed the person to the conversation, so that the model knows it in the next turn: as an answer, or
   * as an event.
   */
  note(input: {
    readonly run: Pick<AgentRun, 'threadId' | 'turnId' | 'actor'>;
    readonly messages: readonly AgentMessage[];
    readonly isNew: boolean;
    readonly text: string;
    readonly about?: string | null;
    readonly event?: 'incident' | undefined;
  }): Promise<AgentRecord>;
}

export type CallResults = Readonly<
  Record<string, { readonly ok: boolean; readonly say: string; readonly untrusted?: boolean | undefined }>
>;

export interface AgentDeps {
  readonly model: (node: string) => Model;
  readonly checkpoints: ThreadStates;
  readonly registry: OfferedTools;
  /** The agents that this one may offer in its place. */
  readonly others: readonly OtherAgent[];
  /** Known names by kind, for the prompt and for filling arguments. `texts`: texts that may contain names, newest first. */
  readonly knownNames: (texts: () => readonly string[]) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** The prompt's facts about a person, their work and memory; null for older records without these facts. */
  readonly context?: (of: ContextScope) => Promise<PromptContext | null>;
  /** Returns the ledger's results of these calls; calls that never started are omitted. */
  readonly cameOf: (callIds: readonly string[]) => Promise<CallResults>;
  /** Reads rows of an earlier result of the conversation. `callId`: null when it has no such result. */
  readonly readResult: (request: ResultRequest) => Promise<ToolCallResult>;
  readonly search: (asked: KnowledgeQuery, reader: KnowledgeReader) => Promise<ToolCallResult>;
  readonly maxPasses: number;
}

/** Default export of the index file in an agent's folder. */
export interface AgentPlugin {
  /** Class that limits the agent's rights, in addition to the person's role. */
  readonly class: AgentClass;
  /** Id of the agent: the folder's name with underscores. Stored with every thread. */
  readonly id: string;
  readonly summary: string;
  /** Version of the state, incremented when its shape changes; stored in the state. */
  readonly stateVersion: number;
  /** Channels of the state that are stored as empty lists once the turn has ended. */
  readonly turnLists?: readonly string[];
  /** Nodes that ask a model; MODEL_FOR may give each node its own. */
  readonly nodes: readonly string[];
  readonly graph: readonly GraphNode[];
  create(parts: AgentDeps): Agent;
}
