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

/** One message of a batch, as the agent sees it. */
export interface AgentMessage {
  /** The envelope's id: a message is never taken into a thread's state twice. */
  readonly id: string;
  readonly text: string;
  /** Set when it is news of the system and not a person's words. */
  readonly event:
    | { readonly kind: 'job-finished' | 'decision'; readonly say: string }
    /** A node is to run again; the text is none of its own. `about`: the message whose turn failed, the newest one when left out. */
    | { readonly kind: 'node'; readonly say: string; readonly node: string; readonly about?: string | undefined }
    /** The person reads in another way from now on; only agents that draw by it are told. */
    | ({ readonly kind: 'mode' } & PageMode)
    | null;
  /** How its author reads, where that is known. */
  readonly reads?: PageMode | undefined;
}

/** All that an agent may reach while it runs. Effects go through `call` only. */
export interface AgentRun {
  readonly turnId: string;
  readonly threadId: string;
  readonly traceId: string;
  readonly chatKey: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  /** Fires on /stop, on shutdown and when the lane is lost. */
  readonly signal: AbortSignal;
  /** What came with the messages of this turn, for its model alone. Left out when there is nothing that it could see. */
  readonly pictures?: readonly Picture[];
  /**
   * The id of the answer of this pass, counted from 1 in the turn that began with the message `turnKey`: the same however often the
   * turn is resumed. An agent names its answers by nothing else, and its calls after them (`makeCallId`).
   */
  answerId(turnKey: string, pass: number): string;
  /** Runs one tool call under the runtime's rules. Never throws for what a tool did; throws when the lane was lost. */
  call(request: {
    readonly callId: string;
    readonly tool: string;
    readonly args: unknown;
    readonly groups: readonly string[];
  }): Promise<ToolCallResult>;
  /** What can be looked up for an answer before it is kept; left out where nothing may be, as in a replay. */
  readonly lookUp?: {
    /** What a question for one argument of a tool may be answered with, the likeliest first; none where nobody can tell. */
    choices(callId: string, asked: AskedArgument): Promise<readonly string[]>;
    /** The arguments of a call, “the newest” replaced by what it is now; null where nothing of the kind stands in them. */
    meant(callId: string, tool: string, args: Readonly<Record<string, unknown>>): ReturnType<typeof withNewest>;
  };
  /** Notes that text from outside is about to be read by a way other than `call`: it stays with the conversation. */
  reads(source: string): Promise<void>;
  /**
   * Moves the turn on: THINKING before the model is asked, PROPOSING when it answered with calls, EVALUATING after the last of them.
   * Throws on a step that the table does not know.
   */
  enter(next: Phase): void;
  /** The phases of this pass so far. */
  path(): readonly Phase[];
  /** Asks policy which of these capability groups this conversation may have. */
  load(groups: readonly string[]): Promise<Loaded>;
  /**
   * Which of the loaded groups a turn still has: `idle` are those that it can do without, and policy may have withdrawn others. What goes is
   * written down.
   */
  keep(groups: readonly string[], idle: readonly string[]): Promise<readonly string[]>;
  /** The verdict on a pass, by a judge that is not a model. */
  judge(pass: PassFacts): Promise<EvaluationOutcome>;
  /** Sends a message in the middle of the turn. The same key twice is one message. */
  say(reply: AgentReply): Promise<void>;
  /**
   * Shows the person what is being written, in private chats that can; best effort, never awaited. `text` is all that was written
   * and not sent yet, as markdown; what was shown before is replaced. `say` and the end of the turn take it away.
   */
  draft(text: string): void;
  /** Counts what a model used for this turn, whatever becomes of the turn. */
  spent(spend: ModelSpend): void;
  /** Logs what an operator should know of, without texts of people. Left out where nothing is logged, as in a replay. */
  warn?(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface AgentReply {
  /** Idempotency key, unique in the thread. */
  readonly key: string;
  readonly text: string;
  readonly buttons: readonly OfferedButton[];
  /** Replies of a thread with the same slot are one message: the newest shows, in the place of the first. */
  readonly slot?: string;
  /** It takes the place of the one before in its slot, with the receipts below that. Where nothing can be changed, nothing is said. */
  readonly onlyChanges?: true;
  /** Sent as documents after the text. */
  readonly files?: readonly OutboundFile[];
  /** Put below the text by the turn, and never by an agent. */
  readonly receipts?: readonly Receipt[];
}

/** What a turn leaves for its record. */
export interface AgentRecord {
  readonly passes: readonly PassRecord[];
  /** What came in, as the conversation took it. */
  readonly messages: readonly RecordedMessage[];
  /** The conversation began with this turn. */
  readonly isNew: boolean;
  /** The run that ends the turn. */
  readonly run: RecordedRun;
}

/** Where states of conversations are kept. */
export interface ThreadStates extends BaseCheckpointSaver {
  /** The newest values of a conversation in a turn, whether they are stored already or not; empty when there are none. */
  newest(threadId: string): Readonly<Record<string, unknown>>;
}

export interface AgentResult {
  readonly outcome: 'answered' | 'waiting' | 'finished' | 'limit';
  /** Everything that the person is to see of this turn, in order, including what `say` has sent already. */
  readonly replies: readonly AgentReply[];
  /** The person was refused what they asked for, and nothing else happened: in a group that is nobody else's business. */
  readonly personal: boolean;
  /** Ids of the batch's messages that are left to the next turn: they came after the thread had ended, or while it was cut off. */
  readonly unhandled: readonly string[];
  readonly passes: number;
  readonly toolCalls: number;
  /** What the person wants, in the model's own words; null where it has none. */
  readonly task: string | null;
  readonly record: AgentRecord;
}

export interface Agent {
  /** The model that answers people can look at pictures. */
  readonly sees?: true;
  /** What it shows depends on how its reader reads: it is told when that changes. */
  readonly draws?: true;
  /** Runs passes until the turn ends. `resume`: an earlier run of this turn may have died; go on from its checkpoint. */
  run(input: {
    readonly messages: readonly AgentMessage[];
    readonly run: AgentRun;
    readonly resume: boolean;
    readonly threadNew: boolean;
  }): Promise<AgentResult>;
  /**
   * Takes what the person was told when a turn was cut short, or of an incident, into the conversation, so that the next turn knows.
   * `messages`: what the turn had been given; `isNew`: the conversation may have begun with it; `about`: the project that it is
   * about from then on.
   */
  note(input: {
    readonly run: Pick<AgentRun, 'threadId' | 'turnId' | 'actor'>;
    readonly messages: readonly AgentMessage[];
    readonly isNew: boolean;
    readonly text: string;
    readonly about?: string | null;
  }): Promise<AgentRecord>;
}

/** What calls came to, by their ids. */
export type CameOf = Readonly<Record<string, { readonly ok: boolean; readonly say: string }>>;

/** What an agent is built from. */
export interface AgentParts {
  /** The model of one of the agent's nodes. */
  readonly model: (node: string) => Model;
  readonly checkpoints: ThreadStates;
  readonly registry: ToolOffer;
  /** Names by kind of thing that texts may mean, for the prompt and for filling arguments; `texts` gives them, the newest first. */
  readonly knownNames: (texts: () => readonly string[]) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** What a prompt is told of a person, their work and their memory. Left out where nothing is; null where a record has none. */
  readonly context?: (of: ContextOf) => Promise<PromptContext | null>;
  /** What the ledger knows of these calls; those that never began are left out. */
  readonly cameOf: (callIds: readonly string[]) => Promise<CameOf>;
  /** The base tool search_knowledge. */
  readonly search: (query: string, scope: KnowledgeScope, userKey: string) => Promise<ToolCallResult>;
  /** Most rounds of model and tools in one turn. */
  readonly maxPasses: number;
}

/** The default export of an agent's folder. */
export interface AgentPlugin {
  /** What it may do at all, whoever it works for: the person's role and this bound it together. */
  readonly class: AgentClass;
  /** Equals the folder's name, with underscores for hyphens; stored with every thread. */
  readonly id: string;
  readonly summary: string;
  /** Grows when the shape of the state changes; stored in the state. */
  readonly stateVersion: number;
  /** Lists of its state that only the turn under way needs: they are stored empty once it has ended. */
  readonly turnLists?: readonly string[];
  /** The nodes that ask a model: each may be given one of its own with MODEL_FOR. */
  readonly nodes: readonly string[];
  /** Every node of its graph, in order. */
  readonly graph: readonly GraphNode[];
  create(parts: AgentParts): Agent;
}
