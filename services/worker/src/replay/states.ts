import type { RunnableConfig } from '@langchain/core/runnables';
import { MemorySaver, type Checkpoint, type CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import type { ThreadStates } from '../agents/agent.ts';

/** States of replayed conversations, in memory only, so that a replay cannot write to a database. */
export class ReplayStates extends MemorySaver implements ThreadStates {
  readonly #newest = new Map<string, Readonly<Record<string, unknown>>>();

  newest(threadId: string): Readonly<Record<string, unknown>> {
    return this.#newest.get(threadId) ?? {};
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    // by LangGraph's contract, a string in every config
    this.#newest.set(config.configurable?.['thread_id'] as string, checkpoint.channel_values);
    return super.put(config, checkpoint, metadata);
  }
}
