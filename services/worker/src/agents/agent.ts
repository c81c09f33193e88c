import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { OfferedButton, OutboundFile, Receipt } from '@signalbox/contracts/conversation/envelope';
import type { AgentClass } from '@signalbox/contracts/governance/action';
import type {
  PassRecord,
  PromptContext,
  RecordedMessage,
  RecordedRun,
} from '@signalbox/contracts/governance/execution-turn';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Model, ModelSpend, Picture } from '@signalbox/models/port';
import type { ContextOf } from '@signalbox/store/turns/context-rows';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import type { GraphNode } from '../tools/ports/graph-nodes.ts';
import type { KnowledgeScope } from '../tools/ports/knowledge-rows.ts';
import type { ToolOffer } from '../tools/registry.ts';
import type { EvaluationOutcome, PassFacts } from '../loop/evaluation.ts';
import type { AskedArgument, withNewest } from '../tools/choices.ts';
import type { Phase } from '../loop/fsm.ts';
import type { Loaded } from '../loop/loading.ts';

/** One message of a batch, as the agent gets it. */
export interface AgentMessage {
  /** The envelope's id: a thread takes each message once. */
  readonly id: string;
  readonly text: string;
  /** Set for news of the system, which no person typed. */
  readonly event:
    | { readonly kind: 'job-finished' | 'decision'; readonly say: string }
    /** A node runs again. `about`: the message whose turn failed; the newest one when left out. */
    | { readonly kind: 'node'; readonly say: string; readonly node: string; readonly about?: string | undefined }
    /** The person changed how they read; only agents that draw views are told. */
    | ({ readonly kind: 'mode' } & PageMode)
    | null;
  readonly reads?: PageMode | undefined;
}

/** Everything an agent may use while it runs. Effects go only through `call`. */
export interface AgentRun {
  readonly turnId: string;
  readonly threadId: string;
  readonly traceId: string;
  readonly chatKey: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly signal: AbortSignal;
  /** Pictures of this turn's messages, for its model alone; absent when it cannot see them. */
  readonly pictures?: readonly Picture[];
  /**
   * The id of the answer of pass `pass` (from 1) in the turn of message `turnKey`, the same when the turn is resumed.
   * Agents name answers by it, and calls after them (`makeCallId`).
   */
  answerId(turnKey: string, pass: number): string;
  /** Runs one tool call under governance. Failures of the tool are results; throws only when the lane was lost. */
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
    /** The arguments of a call with “the newest” replaced by its current value; null without such words. */
    meant(callId: string, tool: string, args: Readonly<Record<string, unknown>>): ReturnType<typeof withNewest>;
  };
  /** Marks the conversation: it is about to read outside text by a way other than `call`. */
  reads(source: string): Promise<void>;
  /**
   * Moves the turn's phase: THINKING before the model is asked, PROPOSING when it answered with calls, EVALUATING after
   * the last call. Throws on an invalid step.
   */
  enter(next: Phase): void;
  path(): readonly Phase[];
  /** Asks policy which of these capability groups this conversation may load. */
  load(groups: readonly string[]): Promise<Loaded>;
  /** The loaded groups that a turn keeps. `idle`: groups that it can do without. Removals are recorded. */
  keep(groups: readonly string[], idle: readonly string[]): Promise<readonly string[]>;
  /** Judges a pass by rules, without a model. */
  judge(pass: PassFacts): Promise<EvaluationOutcome>;
  /** Sends a message in the middle of the turn. A repeated key sends nothing. */
  say(reply: AgentReply): Promise<void>;
  /**
   * Shows the text that is being written as a draft, where the chat supports it; best effort, never awaited. `text` is
   * all unsent markdown and replaces the draft before. `say` and the end of the turn remove it.
   */
  draft(text: string): void;
  /** Counts what a model used for this turn, even if the turn fails. */
  spent(spend: ModelSpend): void;
  /** Logs for operators, without texts of people; absent in a replay. */
  warn?(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface AgentReply {
  readonly key: string;
  readonly text: string;
  readonly buttons: readonly OfferedButton[];
  /** Replies of a thread with the same slot are one message: a newer one replaces the older. */
  readonly slot?: string;
  /** Replaces the message in its slot and keeps its receipts. Without such a message, nothing is sent. */
  readonly onlyChanges?: true;
  readonly files?: readonly OutboundFile[];
  /** Receipts that the turn puts below the text. */
  readonly receipts?: readonly Receipt[];
}

/** A turn's data for its record. */
export interface AgentRecord {
  readonly passes: readonly PassRecord[];
  /** The messages of the turn, as its conversation stored them. */
  readonly messages: readonly RecordedMessage[];
  readonly isNew: boolean;
  readonly run: RecordedRun;
}

/** The store of conversation states. */
export interface ThreadStates extends BaseCheckpointSaver {
  /** The newest values of a conversation during a turn, stored or not; empty when there are none. */
  newest(threadId: string): Readonly<Record<string, unknown>>;
}

export interface AgentResult {
  readonly outcome: 'answered' | 'waiting' | 'finished' | 'limit';
  /** All replies of this turn in order, including those that `say` sent. */
  readonly replies: readonly AgentReply[];
  /** True when the person was only refused: others in a group do not see it. */
  readonly personal: boolean;
  /** Ids of messages left to the next turn: they came after the thread ended. */
  readonly unhandled: readonly string[];
  readonly passes: number;
  readonly toolCalls: number;
  /** The person's wish in the model's words; null when it has none. */
  readonly task: string | null;
  readonly record: AgentRecord;
}

export interface Agent {
  /** The answering model can look at pictures. */
  readonly sees?: true;
  /** Its views depend on how the reader reads. */
  readonly draws?: true;
  /** Runs passes until the turn ends. `resume`: goes on from the checkpoint of an earlier run. */
  run(input: {
    readonly messages: readonly AgentMessage[];
    readonly run: AgentRun;
    readonly resume: boolean;
    readonly threadNew: boolean;
  }): Promise<AgentResult>;
  /** Adds words that the person was told outside of a pass to the conversation, so that the next turn knows them. */
  note(input: {
    readonly run: Pick<AgentRun, 'threadId' | 'turnId' | 'actor'>;
    readonly messages: readonly AgentMessage[];
    readonly isNew: boolean;
    readonly text: string;
    readonly about?: string | null;
  }): Promise<AgentRecord>;
}

/** Results of calls by id. */
export type CameOf = Readonly<Record<string, { readonly ok: boolean; readonly say: string }>>;

/** Dependencies of an agent. */
export interface AgentParts {
  readonly model: (node: string) => Model;
  readonly checkpoints: ThreadStates;
  readonly registry: ToolOffer;
  /** Known names by kind, for the prompt and for filling arguments. `texts`: the texts that may mention them, newest first. */
  readonly knownNames: (texts: () => readonly string[]) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** The prompt's facts about a person, their work and memory; null where a record has none. */
  readonly context?: (of: ContextOf) => Promise<PromptContext | null>;
  /** The ledger's results of these calls, without calls that never started. */
  readonly cameOf: (callIds: readonly string[]) => Promise<CameOf>;
  readonly search: (query: string, scope: KnowledgeScope, userKey: string) => Promise<ToolCallResult>;
  readonly maxPasses: number;
}

/** The default export of an agent's folder. */
export interface AgentPlugin {
  /** The agent's class bounds its rights; the person's role does too. */
  readonly class: AgentClass;
  /** Equals the folder's name with underscores; stored with every thread. */
  readonly id: string;
  readonly summary: string;
  /** Incremented when the state's shape changes; stored in the state. */
  readonly stateVersion: number;
  /** Lists of the state that are stored empty once the turn has ended. */
  readonly turnLists?: readonly string[];
  /** The nodes that ask a model. MODEL_FOR may give each its own. */
  readonly nodes: readonly string[];
  readonly graph: readonly GraphNode[];
  create(parts: AgentParts): Agent;
}
