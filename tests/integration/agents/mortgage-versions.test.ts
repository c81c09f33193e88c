import { readFileSync } from 'node:fs';
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { Annotation, messagesStateReducer, StateGraph } from '@langchain/langgraph';
import { Checkpoints } from '@signalbox/worker/checkpoints/checkpoints';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

/** A state of version 1 as the mortgage agent stored it: its fields beside those of all agents. */
const RECORDED = JSON.parse(
  readFileSync(new URL('../../fixtures/mortgage-state-1.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

let bench: WorkerBench;
beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.startWorker({ env: { AGENT_DEFAULT: 'mortgage', MODEL: 'offline' } });
});
afterAll(() => bench.close());

/** A person with an open conversation whose state was written by a graph of version 1. Answers its thread. */
async function recordThread(userKey: string, values: Record<string, unknown>): Promise<string> {
  await bench.addPerson(userKey);
  const { rows } = await bench.pool.query<{ id: string }>(`select thread_open($1, $2, 'mortgage') as id`, [
    userKey,
    `telegram:${userKey}`,
  ]);
  const threadId = rows[0]?.id ?? '';
  const channels = Object.fromEntries(Object.keys(values).map((name) => [name, Annotation<unknown>()]));
  const State = Annotation.Root({
    ...channels,
    messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode('old_node', () => ({}))
    .addEdge('__start__', 'old_node')
    .compile({ checkpointer: new Checkpoints(bench.pool) });
  const said = [
    new HumanMessage({ id: 'old_1', content: 'fix it for five years' }),
    new AIMessage({ id: 'old_2', content: 'Done.' }),
  ];
  await graph.updateState({ configurable: { thread_id: threadId } }, { ...values, messages: said }, 'old_node');
  return threadId;
}

const newestState = async (threadId: string) => {
  const tuple = await new Checkpoints(bench.pool).getTuple({ configurable: { thread_id: threadId } });
  return { id: tuple?.checkpoint.id, values: tuple?.checkpoint.channel_values ?? {} };
};

it('a conversation of version 1 goes on under version 2, with all that was said in it', async () => {
  const threadId = await recordThread('900', RECORDED);
  expect((await bench.ask('900', 'mortgage.recalculate {"termYears":30}')).join('\n')).toContain(
    '£1,017.16 a month for 5 years',
  );
  // Asked for before, so it is not asked for again.
  expect((await bench.ask('900', 'mortgage.request_branch')).join('\n')).toContain('A branch will call you');
  const { values } = await newestState(threadId);
  expect(values).toMatchObject({
    stateVersion: 2,
    domain: { mortgage: { branch_requested: true, last_attempted_address: '15 Semaphore Road QX1 2BD' } },
  });
  expect((values['messages'] as BaseMessage[]).map(({ id }) => id).slice(0, 2)).toEqual(['old_1', 'old_2']);
  const { rows } = await bench.pool.query(`select count(*)::int as threads from threads where user_key = '900'`);
  expect(rows).toEqual([{ threads: 1 }]);
});

it('a conversation that cannot be migrated is kept as it is, that is said, and the message begins a new one', async () => {
  const threadId = await recordThread('901', { ...RECORDED, intent: 'a house' });
  const before = await newestState(threadId);
  const told = await bench.ask('901', 'mortgage.set_intent {"propertyValue":300000}');
  expect(told[0]).toContain('I cannot read it. It stays stored as it is.');
  expect(told[1]).toContain('How much do you want to borrow');
  expect(told).toHaveLength(2);
  expect(await newestState(threadId)).toEqual(before);
  const { rows } = await bench.pool.query(`select status from threads where user_key = '901' order by n`);
  expect(rows).toEqual([{ status: 'finished' }, { status: 'open' }]);
  expect((await bench.ask('901', '210,000')).join()).toContain('For how many years');
});
