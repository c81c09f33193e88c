import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { ToolCallResult } from '../../tools/execute.ts';
import type { KnowledgeScope } from '../../tools/ports/knowledge.ts';
import type { ToolDefinition, ToolRegistry } from '../../tools/registry.ts';
import type { AgentRun } from '../agent.ts';

interface BoundModel {
  invoke(messages: BaseMessage[], options: { signal: AbortSignal }): Promise<AIMessage>;
}

export interface GraphParts {
  readonly registry: ToolRegistry;
  readonly maxPasses: number;
  /** The model with these tools; `force` names the one that it has to call. */
  bind(tools: readonly ToolDefinition[], force?: string): BoundModel;
  search(query: string, scope: KnowledgeScope, userKey: string): Promise<ToolCallResult>;
}

/** What a single run carries beside the state. Never checkpointed. */
export interface RunExtras {
  readonly run: AgentRun;
  /** The names that exist, looked up once and again after a tool may have changed them. */
  readonly names: () => Promise<Readonly<Record<string, readonly string[]>>>;
  /** Index of the turn's first message. */
  readonly turnStart: (messages: readonly BaseMessage[]) => number;
}

/** The extras that the agent put into the config of this run. */
export function runOf(config: LangGraphRunnableConfig): RunExtras {
  return config.configurable?.['extras'] as RunExtras; // put there by index.ts on every invoke
}
