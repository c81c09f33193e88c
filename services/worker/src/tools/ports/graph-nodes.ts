import type { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import type { ClearStateResult, GraphThread } from '@signalbox/store/turns/graph-nodes';

export interface GraphNode {
  readonly name: string;
  readonly does: string;
  /** Nodes that may run before this node; `start` for the first node. */
  readonly after: readonly string[];
}

export interface NodePass {
  readonly turnId: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly record: ExecutionTurn;
}

/** The graphs of conversations: what their nodes did, know, and may run again. */
export interface AgentGraphs {
  thread(threadId: string): Promise<GraphThread>;
  graph(agent: string): readonly GraphNode[];
  /** The newest passes, newest first, without records of other versions. */
  passes(threadId: string, limit: number): Promise<readonly NodePass[]>;
  /** The newest stored state of the conversation, redacted; empty when there is none. */
  state(threadId: string): Promise<Readonly<Record<string, unknown>>>;
  /** Runs a node again. Idempotent by action id. Throws NOT_FOUND, CONVERSATION_OVER. */
  runAgain(wish: {
    readonly threadId: string;
    readonly node: string;
    readonly actionId: string;
    /** The message whose turn failed; the newest message when absent. */
    readonly about?: string;
    readonly say: string;
  }): Promise<{ readonly userKey: string }>;
  isPut(actionId: string): Promise<boolean>;
  /** Closes open conversations about a project except one. Idempotent. */
  clearProject(project: string, except: string, actionId: string): Promise<ClearStateResult>;
}
