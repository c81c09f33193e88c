import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { claimChat, takeNextRow } from '@signalbox/gateway/delivery/outgoing';
import { claimLane, finishLaneTurn } from '@signalbox/store/turns/lanes';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import type { ModelScript } from '../../support/scripted-model.ts';
import { inject } from 'vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';
import { openTerminal, type Written } from './terminal.ts';

const answer: ModelScript = (_, tools) =>
  tools.some((tool) => tool.name === 'classify_intent')
    ? { toolCalls: [{ name: 'classify_intent', args: { task_summary: 't', capabilities: [], project: null } }] }
    : { content: 'here is your answer' };

const LANE = { worker: 'w', leaseMs: 5_000, maxMessages: 10, idleMs: 60_000, agent: 'product_owner' };
const CHAT = { leaseMs: 5_000, slotMs: 0, pick: true };

describe('signalbox dlq', () => {
  let bench: WorkerBench;
  let signalbox: (...words: readonly string[]) => Promise<Written>;

  beforeEach(async () => {
    bench = await openWorkerBench();
    const servers = { DATABASE_URL: bench.databaseUrl, REDIS_URL: inject('redisUrl'), REDIS_PREFIX: bench.prefix };
    signalbox = openTerminal(servers);
    await bench.addPerson('7', 'developer');
  });
  afterEach(() => bench.close());

  /** Gives up a message in the way that a worker does after five attempts. */
  const killMessage = async (text = 'poison'): Promise<{ letter: string; inboxId: number }> => {
    const inboxId = await bench.say('7', text, { silent: true });
    const begun = await claimLane(bench.pool, '7', LANE);
    if (!begun) throw new Error('the lane is not free');
    const letter = await putDeadLetter(bench.pool, {
      source: 'inbound',
      ref: String(inboxId),
      userKey: '7',
      reason: 'no progress in 5 attempts',
      body: begun.messages[0]?.envelope,
    });
    const outcomes = [{ id: inboxId, outcome: 'dead-lettered' as const, reason: letter }];
    await finishLaneTurn(bench.pool, begun, { turn: null, outcomes, replies: [], thread: null });
    return { letter, inboxId };
  };

  /** Fails the next reply of a chat in the way that a gateway does. */
  const failReply = async (): Promise<void> => {
    const begun = await claimChat(bench.pool, 'telegram:7', { ...CHAT, gateway: 'g' });
    if (begun.state !== 'held' || !begun.item) throw new Error('nothing to deliver');
    const result = {
      id: begun.item.id,
      status: 'failed' as const,
      delivery: begun.item.delivery,
      error: 'HTTP 500',
      uncounted: false,
    };
    await takeNextRow(bench.pool, begun.chat, { ...CHAT, result, pauseMs: null });
  };

  const putReply = async (): Promise<string> => {
    const row = {
      key: 'r1',
      chatKey: 'telegram:7',
      userKey: '7',
      threadId: null,
      turnId: null,
      traceId: 'trc_1',
      priority: 5,
      slot: null,
    };
    const [stored] = await putOutbox(bench.pool, [{ ...row, body: { text: 'hello', buttons: [] } }]);
    return stored?.id ?? '';
  };

  it('retry wakes the conversation, and the message is answered', async () => {
    const { letter } = await killMessage();
    await bench.startWorker({ script: answer });
    const { code, out } = await signalbox('dlq', 'retry', letter);
    expect([code, out]).toEqual([0, 'The message waits for its turn again, and was woken.\n']);
    await eventually(
      () => bench.outcomes('7'),
      (all) => all[0] === 'answered',
    );
    expect(await bench.replies('7')).toEqual(['here is your answer']);
  });

  it('retry starts one turn for the message when it is called twice', async () => {
    const { letter } = await killMessage();
    const [first, second] = await Promise.all([signalbox('dlq', 'retry', letter), signalbox('dlq', 'retry', letter)]);
    expect([first.code, second.code]).toEqual([0, 0]);
    const said = [first.out, second.out].toSorted();
    expect(said[0]).toMatch(/was woken/);
    expect(said[1]).toMatch(/is settled since/);
    await bench.startWorker({ script: answer });
    await eventually(
      () => bench.outcomes('7'),
      (all) => all[0] === 'answered',
    );
    expect((await signalbox('dlq', 'retry', letter)).out).toMatch(/is settled since/);
    expect(await bench.replies('7')).toHaveLength(1);
  });

  it('retry resumes a message without repeating an effect that it already had', async () => {
    const { letter } = await killMessage();
    await signalbox('dlq', 'retry', letter);
    expect(await claimLane(bench.pool, '7', LANE)).toMatchObject({ resumed: true, attempts: 1 });
  });

  it('a retried message that fails again becomes an open dead letter again', async () => {
    const { letter, inboxId } = await killMessage();
    await signalbox('dlq', 'retry', letter);
    const again = await claimLane(bench.pool, '7', LANE);
    expect(again?.messages.map((message) => message.id)).toEqual([inboxId]);
    const source = { source: 'inbound' as const, ref: String(inboxId), userKey: '7', body: {} };
    await putDeadLetter(bench.pool, { ...source, reason: 'and again' });
    const { json } = await signalbox('dlq', 'list', '--json');
    expect(json).toMatchObject([{ ref: String(inboxId), reason: 'and again', resolvedAt: null }]);
    const { json: all } = await signalbox('dlq', 'list', '--all', '--json');
    expect(all).toHaveLength(2);
  });

  it('retry delivers a failed reply again, and the reply becomes a dead letter again when this fails', async () => {
    const id = await putReply();
    await failReply();
    const letter = `dlq_out_${id}`;
    expect((await signalbox('dlq', 'list')).out).toContain('HTTP 500');
    const { code, out } = await signalbox('dlq', 'retry', letter);
    expect([code, out]).toEqual([0, 'The reply is to be delivered again, and was woken.\n']);
    await failReply();
    const { json } = await signalbox('dlq', 'list', '--json');
    expect(json).toMatchObject([{ id: letter, source: 'outbound', resolvedAt: null }]);
  });

  it('retry refuses a letter that cannot be tried again, gives the reason, and changes nothing', async () => {
    const stopped = await killMessage('stopped since');
    await bench.pool.query('update lanes set stop_before = 1000000');
    const put = (source: 'inbound' | 'job' | 'stream', ref: string): Promise<string> =>
      putDeadLetter(bench.pool, { source, ref, userKey: '7', reason: 'x', body: {} });
    const reply = await putReply();
    await failReply();
    await bench.pool.query(`update chats set parked_at = now(), parked_reason = 'bot was blocked by the user'`);
    const cases: readonly [string, RegExp][] = [
      [stopped.letter, /has said \/stop or \/new since/],
      [await put('inbound', 'telegram:100:9'), /could never be stored/],
      [await put('job', 'run_1'), /ask for it again/],
      [await put('stream', 'in:1-0'), /only a wake-up/],
      [`dlq_out_${reply}`, /parked \(bot was blocked by the user\)/],
    ];
    for (const [letter, reason] of cases) {
      const { code, out } = await signalbox('dlq', 'retry', letter);
      expect(code).toBe(1);
      expect(out).toMatch(reason);
    }
    expect((await signalbox('dlq', 'list', '--json')).json).toHaveLength(cases.length);
    expect(await bench.outcomes('7')).toEqual(['dead-lettered']);
  });

  it('retry is refused while another turn of the author runs, and possible afterwards', async () => {
    const { letter } = await killMessage();
    await bench.say('7', 'next', { silent: true });
    const held = await claimLane(bench.pool, '7', LANE);
    expect((await signalbox('dlq', 'retry', letter)).out).toMatch(/being served right now/);
    if (held) await finishLaneTurn(bench.pool, held, { turn: null, outcomes: [], replies: [], thread: null });
    expect((await signalbox('dlq', 'retry', letter)).code).toBe(0);
  });

  it('resolve settles a letter without a retry, and a second time changes nothing', async () => {
    const { letter } = await killMessage();
    expect((await signalbox('dlq', 'resolve', letter)).code).toBe(0);
    const first = (await signalbox('dlq', 'show', letter, '--json')).json;
    expect((await signalbox('dlq', 'resolve', letter)).code).toBe(0);
    expect((await signalbox('dlq', 'show', letter, '--json')).json).toEqual(first);
    expect((await signalbox('dlq', 'list')).out).toBe('There is no open dead letter.\n');
    expect(await bench.outcomes('7')).toEqual(['dead-lettered']);
  });

  it('reports an unknown dead letter', async () => {
    for (const verb of ['show', 'retry', 'resolve']) {
      const { code, error } = await signalbox('dlq', verb, 'dlq_nowhere');
      expect([code, error]).toEqual([1, expect.stringContaining('no dead letter named dlq_nowhere')]);
    }
  });
});
