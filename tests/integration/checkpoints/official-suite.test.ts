import type { RunnableConfig } from '@langchain/core/runnables';
import type { ChannelVersions, Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import type { Lane } from '@signalbox/store/conversation/lane';
import { Checkpoints } from '@signalbox/worker/checkpoints/checkpoints';
import * as vitest from 'vitest';
import { openCheckpointBench, type CheckpointBench } from './bench.ts';

// LangGraph's own suite for savers, for both ways in which checkpoints are written: within a turn, and through.

Object.assign(globalThis, vitest); // the suite asks for vitest's globals
const { validate } = await import('@langchain/langgraph-checkpoint-validation');

const bench = await openCheckpointBench();
vitest.afterAll(() => bench.close());
const empty = async (): Promise<void> => {
  await bench.pool.query('truncate langgraph.checkpoints, langgraph.checkpoint_blobs, langgraph.checkpoint_writes');
};

validate({
  checkpointerName: 'checkpoints written through',
  createCheckpointer: () => new Checkpoints(bench.pool),
  destroyCheckpointer: empty,
});

validate({
  checkpointerName: 'checkpoints of turns',
  createCheckpointer: () => new OneTurnEach(bench),
  destroyCheckpointer: empty,
});

/** Each checkpoint of a thread is put within a turn of its own, and so written incrementally. */
class OneTurnEach extends Checkpoints {
  readonly #lane: Lane;

  constructor({ pool, lane }: CheckpointBench) {
    super(pool);
    this.#lane = lane;
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    versions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id: threadId, checkpoint_ns: space = '' } = config.configurable as {
      thread_id?: string;
      checkpoint_ns?: string;
    };
    if (threadId === undefined || space !== '') return super.put(config, checkpoint, metadata, versions);
    this.open(threadId, this.#lane, false);
    try {
      await this.getTuple({ configurable: { thread_id: threadId } });
      const put = await super.put(config, checkpoint, metadata, versions);
      await this.flush(threadId);
      return put;
    } finally {
      this.close(threadId, false);
    }
  }
}
