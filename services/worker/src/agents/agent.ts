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
import type { Model, ModelSpend, Picture } from '@signalbox/models/port';
import type { ContextScope } from '@signalbox/store/turns/context-rows';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import type { GraphNode } from '../tools/ports/graph-nodes.ts';
import type { KnowledgeScope } from '../tools/ports/knowledge-rows.ts';
import type { OfferedTools } from '../tools/registry.ts';
import type { EvaluationOutcome, PassSummary } from '../loop/evaluation.ts';
import type { AskedArgument, resolveNewestArgs } from '../tools/choices.ts';
import type { Phase } from '../loop/fsm.ts';
import type { LoadedGroups } from '../loop/loading.ts';

/** One message of a batch, as the agent receives it. */
export interface AgentMessage {
  /** The envelope's id; a thread processes each message once. */
  readonly id: string;
  readonly text: string;
  /** Set for system events, such as the end of a job; null for typed messages. */
  readonly event:
    | { readonly kind: 'job-finished' | 'decision'; readonly say: string }
    /** A request to run a node again. `about`: the id of the message whose turn failed; the newest message when absent. */
    | { readonly kind: 'node'; readonly say: string; readonly node: string; readonly about?: string | undefined }
    /** The person switched how they read the page. Only agents that draw views receive this event. */
    | ({ readonly kind: 'mode' } & PageMode)
    | null;
  readonly reads?: PageMode | undefined;
}

/** What an agent may use during one run. Effects go only through `call`. */
export interface AgentRun {
  readonly turnId: string;
  readonly threadId: string;
  readonly traceId: string;
  readonly chatKey: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly signal: AbortSignal;
  /** Pictures of this turn's messages, for the model alone; absent for models without vision. */
  readonly pictures?: readonly Picture[];
  /** The id of a pass's answer (from 1), the same in a resumed turn. Call ids derive from it (`makeCallId`). */
  answerId(turnKey: string, pass: number): string;
  /** Runs one tool call under governance. A tool's failure is a result; the promise rejects only when the lane was lost. */
  call(request: {
    readonly callId: string;
    readonly tool: string;
    readonly args: unknown;
    readonly groups: readonly string[];
  }): Promise<ToolCallResult>;
  /** Look-ups before an answer is stored; absent in a replay. */
  readonly lookUp?: {
    /** Possible values for one argument of a tool, the likeliest first; empty when unknown. */
    choices(callId: string, asked: AskedArgument): Promise<readonly string[]>;
    /** Replaces “the newest” in a call's arguments by its current value; null when the arguments contain no such words. */
    meant(callId: string, tool: string, args: Readonly<Record<string, unknown>>): ReturnType<typeof resolveNewestArgs>;
  };
  /** Marks the conversation as tainted before the agent reads outside text by another way than `call`. */
  reads(source: string): Promise<void>;
  /** Moves the turn to a phase: see loop/fsm.ts. Throws on an invalid transition. */
  enter(next: Phase): void;
  path(): readonly Phase[];
  /** Asks policy which of these capability groups this conversation may load. */
  load(groups: readonly string[]): Promise<LoadedGroups>;
  /** Returns the loaded groups that the turn keeps, and records removals. `idle`: groups that the turn no longer needs. */
  keep(groups: readonly string[], idle: readonly string[]): Promise<readonly string[]>;
  /** Judges a pass by rules, without a model. */
  judge(pass: PassSummary): Promise<EvaluationOutcome>;
  say(reply: AgentReply): Promise<void>;
  /** Shows all unsent markdown as a draft, where the chat supports drafts. `say` and the end of the turn remove the draft. */
  draft(text: string): void;
  /** Counts model usage for this turn, even if the turn fails. */
  spent(spend: ModelSpend): void;
  /** Logs for operators, without people's texts; absent in a replay. */
  warn?(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface AgentReply {
  readonly key: string;
  readonly text: string;
  readonly buttons: readonly OfferedButton[];
  /** Replies of a thread with the same slot are one message: a newer reply replaces the older. */
  readonly slot?: string;
  /** Edits the message in its slot and keeps its receipts; sends nothing when the slot has no message. */
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
  /** The newest values of a conversation during a turn, flushed or not; empty when there are none. */
  newest(threadId: string): Readonly<Record<string, unknown>>;
}

export interface AgentResult {
  readonly outcome: 'answered' | 'waiting' | 'finished' | 'limit';
  /** All replies of this turn in order, including those sent by `say`. */
  readonly replies: readonly AgentReply[];
  /** True when the person was only refused; other members of a group do not see such a turn. */
  readonly personal: boolean;
  /** Ids of messages that arrived after the thread ended; the next turn processes them. */
  readonly unhandled: readonly string[];
  readonly passes: number;
  readonly toolCalls: number;
  /** The person's request in the model's words; null without a model's summary. */
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
  /** Appends text that the runtime showed the person to the conversation, so that the next turn knows it. */
  note(input: {
    readonly run: Pick<AgentRun, 'threadId' | 'turnId' | 'actor'>;
    readonly messages: readonly AgentMessage[];
    readonly isNew: boolean;
    readonly text: string;
    readonly about?: string | null;
  }): Promise<AgentRecord>;
}

export type CallResults = Readonly<Record<string, { readonly ok: boolean; readonly say: string }>>;

export interface AgentDeps {
  readonly model: (node: string) => Model;
  readonly checkpoints: ThreadStates;
  readonly registry: OfferedTools;
  /** Known names by kind, for the prompt and for filling arguments. `texts`: texts that may mention names, newest first. */
  readonly knownNames: (texts: () => readonly string[]) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** The prompt's facts about a person, their work and memory; null for older records without these facts. */
  readonly context?: (of: ContextScope) => Promise<PromptContext | null>;
  /** The ledger's results of these calls; calls that never started are omitted. */
  readonly cameOf: (callIds: readonly string[]) => Promise<CallResults>;
  readonly search: (query: string, scope: KnowledgeScope, userKey: string) => Promise<ToolCallResult>;
  readonly maxPasses: number;
}

/** The default export of an agent's folder. */
export interface AgentPlugin {
  /** Limits the agent's rights, in addition to the person's role. */
  readonly class: AgentClass;
  /** Equals the folder's name with underscores; stored with every thread. */
  readonly id: string;
  readonly summary: string;
  /** Incremented when the state's shape changes; stored in the state. */
  readonly stateVersion: number;
  /** Channels of the state that are stored as empty lists once the turn has ended. */
  readonly turnLists?: readonly string[];
  /** Nodes that ask a model; MODEL_FOR may give each node its own. */
  readonly nodes: readonly string[];
  readonly graph: readonly GraphNode[];
  create(parts: AgentDeps): Agent;
}
