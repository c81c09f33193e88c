import type { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import type { ClearedState, GraphThread } from '@signalbox/store/turns/graph-nodes';

/** A node of an agent's graph. */
export interface GraphNode {
  readonly name: string;
  readonly does: string;
  /** Nodes that may run before it; `start` for the first. */
  readonly after: readonly string[];
}

/** A pass of a conversation, as it was recorded. */
export interface NodePass {
  readonly turnId: string;
  /** The outcome of the whole turn. */
  readonly outcome: string;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly record: ExecutionTurn;
}

/** The graphs of conversations: what their nodes did, know, and may do again. */
export interface GraphNodes {
  /** Throws NOT_FOUND. */
  thread(threadId: string): Promise<GraphThread>;
  /** The nodes of an agent's graph, in order. */
  graph(agent: string): readonly GraphNode[];
  /** The newest passes, the newest first; records of other versions are left out. */
  passes(threadId: string, limit: number): Promise<readonly NodePass[]>;
  /** The newest stored values of the conversation's state, redacted; empty when nothing is stored. */
  state(threadId: string): Promise<Readonly<Record<string, unknown>>>;
  /** Has a node run again. Idempotent by action id. Throws NOT_FOUND, CONVERSATION_OVER. */
  runAgain(wish: {
    readonly threadId: string;
    readonly node: string;
    readonly actionId: string;
    /** The message whose turn failed; the newest one when left out. */
    readonly about?: string;
    readonly say: string;
  }): Promise<{ readonly userKey: string }>;
  isPut(actionId: string): Promise<boolean>;
  /** Closes open conversations about a project, but for `except`. Twice closes nothing more. */
  clearProject(project: string, except: string, actionId: string): Promise<ClearedState>;
}
