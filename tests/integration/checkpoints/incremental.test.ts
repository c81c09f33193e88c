import { AIMessage, RemoveMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { findNewestCheckpoint, pruneCheckpoints, putCheckpoint } from '@signalbox/store/conversation/checkpoints';
import { HOUR_MS } from '@signalbox/contracts/time';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { human, openCheckpointBench, openConversation, type CheckpointBench } from './bench.ts';

let bench: CheckpointBench;
beforeAll(async () => {
  bench = await openCheckpointBench();
});
afterAll(() => bench.close());

const collectTexts = (messages: readonly BaseMessage[]): readonly string[] => messages.map(({ text }) => text);
const many = (count: number): readonly BaseMessage[] =>
  Array.from({ length: count }, (_, index) => human(`message ${index} ${'x'.repeat(200)}`));

describe('a conversation that is stored incrementally', () => {
  it('of a thousand messages stores less than 2 KB for a turn, not counting its texts', async () => {
    const { say } = openConversation(bench.pool);
    await say('long', bench.lane, many(1_000));
    const before = await bench.bytesOf('long');
    for (let turn = 0; turn < 10; turn++) await say('long', await bench.takeLane(), [human(`question ${turn}`)]);
    expect(((await bench.bytesOf('long')) - before) / 10).toBeLessThan(2_048);
  });

  it('stores as much for a turn after a thousand messages as after ten', async () => {
    const turn = async (threadId: string, length: number): Promise<number> => {
      const { say } = openConversation(bench.pool);
      await say(threadId, await bench.takeLane(), many(length));
      const before = await bench.bytesOf(threadId);
      await say(threadId, await bench.takeLane(), [human('and now?')]);
      return (await bench.bytesOf(threadId)) - before;
    };
    expect(await turn('thousand', 1_000)).toBeLessThan((await turn('ten', 10)) + 100);
  });

  it('is read by another worker exactly as it was written', async () => {
    const { say, read } = openConversation(bench.pool);
    const written = await say('odd', await bench.takeLane(), [
      human('a NUL \0, half a pair \ud83d and "lc":1 in quotes', 'same'),
      new SystemMessage({ id: 's', content: [{ type: 'text', text: 'in parts' }] }),
      new AIMessage({
        id: 'a',
        content: 'calling',
        tool_calls: [{ id: 'c', name: 'look', args: { path: ['x', { lc: 1 }], none: null } }],
        additional_kwargs: { changed: true, next: [{ label: 'Ok' }], seen: new Set(['a']) },
        response_metadata: { model: 'm' },
      }),
      new ToolMessage({ id: 't', tool_call_id: 'c', name: 'look', status: 'error', content: '{"ok":false}' }),
      human('y'.repeat(100_000)),
    ]);
    const there = await read('odd');
    expect(there.map((message) => message.toDict())).toEqual(written.map((message) => message.toDict()));
    expect(there.map((message) => message.constructor.name)).toEqual(
      written.map((message) => message.constructor.name),
    );
  });

  it('keeps the order of its messages when some are removed and replaced', async () => {
    const { say, read } = openConversation(bench.pool);
    await say('edited', await bench.takeLane(), [human('one', '1'), human('two', '2'), human('three', '3')]);
    await say('edited', await bench.takeLane(), [
      new RemoveMessage({ id: '1' }),
      human('TWO', '2'),
      human('four', '4'),
    ]);
    const other = openConversation(bench.pool);
    await other.say('edited', await bench.takeLane(), [human('five', '5')]);
    expect(collectTexts(await read('edited'))).toEqual([
      'TWO',
      'three',
      'about three',
      'four',
      'about four',
      'five',
      'about five',
    ]);
  });

  it('continues in another process from the stored state', async () => {
    await openConversation(bench.pool).say('moved', await bench.takeLane(), [human('here')]);
    await openConversation(bench.pool).say('moved', await bench.takeLane(), [human('there')]);
    expect(collectTexts(await openConversation(bench.pool).read('moved'))).toEqual([
      'here',
      'about here',
      'there',
      'about there',
    ]);
  });

  it('can be read at an earlier checkpoint by the id of the checkpoint', async () => {
    const { say, graph } = openConversation(bench.pool);
    const config = { configurable: { thread_id: 'history' } };
    await say('history', await bench.takeLane(), [human('first')]);
    const first = await graph.getState(config);
    await say('history', await bench.takeLane(), [human('second')]);
    const then = (await openConversation(bench.pool).graph.getState(first.config)).values as {
      messages: BaseMessage[];
    };
    expect(collectTexts(then.messages)).toEqual(['first', 'about first']);
  });
});

describe('full and incremental checkpoints', () => {
  it('a thread that LangGraph’s own saver wrote can be continued incrementally', async () => {
    const stock = new PostgresSaver(bench.pool, undefined, { schema: 'langgraph' });
    const { graph } = openConversation(bench.pool);
    graph.checkpointer = stock;
    await graph.invoke({ messages: [human('long ago')] }, { configurable: { thread_id: 'stock' } });
    const { say, read } = openConversation(bench.pool);
    await say('stock', await bench.takeLane(), [human('today')]);
    expect(collectTexts(await read('stock'))).toEqual(['long ago', 'about long ago', 'today', 'about today']);
  });

  it('a thread that was written incrementally can be written for LangGraph’s own saver again', async () => {
    await openConversation(bench.pool).say('back', await bench.takeLane(), [human('one')]);
    await openConversation(bench.pool, 'stock').say('back', await bench.takeLane(), [human('two')]);
    const stock = new PostgresSaver(bench.pool, undefined, { schema: 'langgraph' });
    const tuple = await stock.getTuple({ configurable: { thread_id: 'back' } });
    expect(collectTexts(tuple?.checkpoint.channel_values['messages'] as BaseMessage[])).toEqual([
      'one',
      'about one',
      'two',
      'about two',
    ]);
  });
});

describe('on machines whose clocks differ', () => {
  afterEach(() => void vi.useRealTimers());
  const atHours = async (hours: number, turn: () => Promise<unknown>): Promise<void> => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR_MS });
    await turn();
    vi.useRealTimers();
  };

  it('a conversation continues from the checkpoint written last, and pruning keeps this checkpoint', async () => {
    const turn = (text: string) => async (): Promise<unknown> =>
      openConversation(bench.pool).say('clocks', await bench.takeLane(), [human(text)]);
    for (const [hours, text] of [
      [0, 'here'],
      [-2, 'behind'],
      [1, 'ahead'],
      [-2, 'last'],
    ] as const)
      await atHours(hours, turn(text));
    await pruneCheckpoints(bench.pool, 'clocks', 1);
    const said = collectTexts(await openConversation(bench.pool).read('clocks'));
    expect(said.filter((text) => !text.startsWith('about'))).toEqual(['here', 'behind', 'ahead', 'last']);
  });

  it('checkpoints without numbers keep their order, and a row with a slow clock comes after its parent', async () => {
    await bench.pool.query('alter table langgraph.checkpoints drop column number');
    const row = (id: string, parent: string | null): Promise<unknown> =>
      bench.pool.query(
        `insert into langgraph.checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint) values ('before', $1, $2, '{}')`,
        [id, parent],
      );
    await row('1f0-04', '1f0-03');
    await row('1f0-01', null);
    await row('1f0-02', '1f0-04');
    await row('1f0-03', '1f0-01');
    await bench.pool.query('select number_checkpoints()');
    await bench.pool.query('select number_checkpoints()');
    const { rows } = await bench.pool.query<{ id: string }>(
      `select checkpoint_id as id from langgraph.checkpoints where thread_id = 'before' order by number`,
    );
    expect(rows.map(({ id }) => id)).toEqual(['1f0-01', '1f0-03', '1f0-04', '1f0-02']);
    expect(await findNewestCheckpoint(bench.pool, 'before', '')).toBe('1f0-02');
    expect(collectTexts(await openConversation(bench.pool).read('clocks'))).toContain('last');
  });
});

describe('a checkpoint flush', () => {
  it('by a worker that lost its lane writes nothing', async () => {
    const { say, read } = openConversation(bench.pool);
    const lane = await bench.takeLane();
    await say('lost', lane, [human('mine')]);
    await bench.takeLane();
    await expect(say('lost', lane, [human('too late')])).rejects.toMatchObject({ code: 'LANE_LOST' });
    expect(collectTexts(await read('lost'))).toEqual(['mine', 'about mine']);
  });

  it('from a state that another worker has already advanced writes nothing', async () => {
    const [ada, ben] = [openConversation(bench.pool), openConversation(bench.pool)];
    const lane = await bench.takeLane();
    await ada.say('fork', lane, [human('start')]);
    ben.checkpoints.open('fork', lane, false);
    const config = { configurable: { thread_id: 'fork' } };
    await ben.graph.invoke({ messages: [human('of Ben')] }, config);
    await openConversation(bench.pool).say('fork', lane, [human('of Ada')]);
    await expect(ben.checkpoints.flush('fork')).rejects.toMatchObject({ code: 'LANE_LOST' });
    expect(collectTexts(await ada.read('fork'))).toEqual(['start', 'about start', 'of Ada', 'about of Ada']);
  });

  it('that is repeated because its response was lost writes the same checkpoint', async () => {
    const { checkpoints, graph, read } = openConversation(bench.pool);
    const lane = await bench.takeLane();
    checkpoints.open('twice', lane, true);
    await graph.invoke({ messages: [human('once')] }, { configurable: { thread_id: 'twice' } });
    const row = await checkpoints.pending('twice');
    expect(row && (await putCheckpoint(bench.pool, lane, row))).toBe(true);
    await checkpoints.flush('twice');
    expect(collectTexts(await read('twice'))).toEqual(['once', 'about once']);
  });
});

describe('pruning of checkpoints', () => {
  const count = async (table: string, threadId: string): Promise<number> => {
    const { rows } = await bench.pool.query<{ n: number }>(
      `select count(*)::int as n from langgraph.${table} where thread_id = $1`,
      [threadId],
    );
    return rows[0]?.n ?? -1;
  };

  it('keeps the newest checkpoints with their messages, and no value that no checkpoint refers to', async () => {
    const { say, read } = openConversation(bench.pool);
    for (let turn = 0; turn < 6; turn++) await say('pruned', await bench.takeLane(), [human(`${turn}`, `${turn}`)]);
    await say('pruned', await bench.takeLane(), [new RemoveMessage({ id: '0' }), new RemoveMessage({ id: '1' })]);
    const before = collectTexts(await read('pruned'));
    await pruneCheckpoints(bench.pool, 'pruned', 1);
    expect(await count('checkpoints', 'pruned')).toBe(1);
    expect(await count('checkpoint_blobs', 'pruned')).toBe(before.length);
    expect(collectTexts(await read('pruned'))).toEqual(before);
    await say('pruned', await bench.takeLane(), [human('after')]);
    expect(collectTexts(await read('pruned'))).toEqual([...before, 'after', 'about after']);
  });

  it('of a thread that LangGraph’s own saver wrote keeps the values of its newest checkpoints', async () => {
    const { say, read } = openConversation(bench.pool, 'stock');
    for (let turn = 0; turn < 4; turn++) await say('old', await bench.takeLane(), [human(`${turn}`)]);
    const before = collectTexts(await read('old'));
    await pruneCheckpoints(bench.pool, 'old', 2);
    expect(await count('checkpoints', 'old')).toBe(2);
    expect(collectTexts(await read('old'))).toEqual(before);
  });

  it('happens automatically in a long conversation', async () => {
    const { say, read } = openConversation(bench.pool);
    for (let turn = 0; turn < 110; turn++) await say('endless', await bench.takeLane(), [human(`${turn}`)]);
    await expect.poll(() => count('checkpoints', 'endless')).toBeLessThan(75);
    expect((await read('endless')).length).toBe(220);
  });
});
