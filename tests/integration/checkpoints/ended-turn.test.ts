import { sleep } from '@signalbox/contracts/time';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { human, openCheckpointBench, openConversation, type CheckpointBench } from './bench.ts';

let bench: CheckpointBench;
beforeAll(async () => {
  bench = await openCheckpointBench();
});
afterAll(() => bench.close());

/** A turn whose lane was lost before it asked its graph: LangGraph rejects at once, and puts a first checkpoint a moment later. */
const askTooLate = async (threadId: string, turnId: string): Promise<void> => {
  const { checkpoints, graph } = openConversation(bench.pool);
  checkpoints.open(threadId, { userKey: 'nobody', epoch: '1' }, true, turnId);
  const config = { configurable: { thread_id: threadId, turn_id: turnId }, signal: AbortSignal.abort() };
  await expect(graph.invoke({ messages: [human('hello')] }, config)).rejects.toThrow('aborted');
  checkpoints.close(threadId, false);
};

it('what LangGraph puts after the end of a stopped turn is not stored', async () => {
  await askTooLate('late', 'turn_late');
  await sleep(500);
  const { rows } = await bench.pool.query(`select checkpoint_id from langgraph.checkpoints where thread_id = 'late'`);
  expect(rows).toEqual([]);
});
