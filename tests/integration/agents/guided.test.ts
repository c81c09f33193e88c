import { HumanMessage } from '@langchain/core/messages';
import { AppError } from '@signalbox/contracts/errors';
import type { Models } from '@signalbox/models/port';
import { createLog, type Log } from '@signalbox/platform/log';
import { parseToolCall } from '@signalbox/worker/tools/call-reading';
import { createRegistry } from '@signalbox/worker/tools/registry';
import type { Tool, ToolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import counter, { books } from '../../examples/counter.ts';
import { checkReplay } from '../../support/replay-check.ts';
import { eventually, until } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

const warned: (readonly [string, object])[] = [];
const silent = createLog('test', 'silent');
const log: Log = { ...silent, child: () => log, warn: (message, fields = {}) => void warned.push([message, fields]) };

const wiring = { agents: [counter], groups: [books] };
const env = { AGENT_DEFAULT: 'counter' };

describe('a guided agent without a model', () => {
  let bench: WorkerBench;
  let people = 100;
  let who = '';
  const ask = async (text: string): Promise<string> => (await bench.ask(who, text)).join('\n');
  beforeAll(async () => {
    bench = await openWorkerBench({ log });
    await bench.startWorker({ wiring, env: { ...env, MODEL: 'offline' } });
  });
  beforeEach(async () => {
    people += 1;
    who = String(people);
    await bench.addPerson(who);
  });
  afterAll(async () => {
    await checkReplay(bench.pool, [books], [counter]);
    await bench.close();
  });

  it('carries out the action of a button, and sends its view with the next buttons', async () => {
    expect(await ask('counter.add {"by":5}')).toBe('It is at 5, and 0 unclear (text, desktop).');
    const { rows } = await bench.pool.query(`select body -> 'buttons' as buttons from outbox where user_key = $1`, [
      who,
    ]);
    expect(rows).toEqual([{ buttons: [{ label: 'One more', value: 'counter.add {"by":1}' }] }]);
    expect(await ask('counter.add {"by":1}')).toContain('It is at 6');
  });

  it('acts on words that its parser understands, and offers its actions for all other words', async () => {
    expect(await ask('plus 7')).toContain('It is at 7');
    expect(await ask('please make it grow')).toBe('It is at 7, and 1 unclear (text, desktop).');
    const { rows } = await bench.pool.query(`select awaiting from threads where user_key = $1`, [who]);
    expect(rows).toEqual([{ awaiting: true }]);
  });

  it.each([
    ['data that the action does not take', 'counter.add {"by":1000}', 'counter.add'],
    ['a field that it does not have', 'counter.add {"by":1,"and":2}', 'and'],
    ['no JSON', 'counter.add {by}', '{…}'],
    ['an action that it does not have', 'counter.double', '`counter.look_up`'],
    ['an action of another agent', 'lost_card.freeze_card', '`counter.add`'],
  ])('refuses %s before any effect', async (_, text, said) => {
    expect(await ask(text)).toContain(said);
    expect(await ask('counter.add {"by":1}')).toContain('It is at 1,');
  });

  it('accepts the short name of its own action, and logs a warning', async () => {
    expect(await ask('counter.add {"by":1}')).toContain('It is at 1');
    const before = warned.length;
    expect(await ask('add {"by":2}')).toContain('It is at 3');
    expect(warned.slice(before)).toEqual([['bare action name', { agent: 'counter', action: 'add' }]]);
    expect(await ask('look')).toContain('1 unclear');
  });

  it('continues at the graph node that another node names, without an audit event', async () => {
    expect(await ask('counter.add {"by":100}')).toBe('It is at 100, and 0 unclear (text, desktop).');
  });

  it('redraws its view when the person switches between text and voice or between devices', async () => {
    await ask('counter.add {"by":2}');
    expect(await ask('counter.set_mode {"mode":"voice","device":"mobile"}')).toContain(
      'It is at 2, and 0 unclear (voice, mobile).',
    );
    expect(await ask('counter.set_mode {"mode":"text"}')).toContain('(text, mobile)');
    expect(await ask('counter.set_mode {}')).toContain('mode');
  });

  it('runs its tool calls through governance, and answers with their results', async () => {
    await ask('counter.add {"by":9}');
    expect(await ask('counter.look_up')).toContain('Page 1 is empty. The books say 9 now.');
    const { rows } = await bench.pool.query(
      `select a.tool, a.status from actions a join threads t using (thread_id) where t.user_key = $1 order by a.action_id`,
      [who],
    );
    expect(rows).toEqual([
      { tool: 'read_books', status: 'done' },
      { tool: 'note_books', status: 'done' },
    ]);
  });

  it('handles each message of a batch separately', async () => {
    await bench.say(who, 'counter.add {"by":1}', { silent: true });
    await bench.say(who, 'counter.look_up', { silent: true });
    expect(await ask('plus 2')).toContain('It is at 3');
    expect(await bench.outcomes(who)).toEqual(['merged', 'merged', 'answered']);
    expect(await bench.replies(who)).toHaveLength(3);
  });
});

describe('a guided agent with a model', () => {
  let bench: WorkerBench;
  let answer: (words: string) => readonly object[] = () => [];
  let delayMs = 0;
  let shown: readonly string[] = [];
  const decide = (...acts: readonly object[]): void => void (answer = () => acts);
  const ask = async (who: string, text: string): Promise<string> => (await bench.ask(who, text)).join('\n');
  beforeAll(async () => {
    bench = await openWorkerBench();
    await bench.startWorker({
      wiring,
      env,
      script: (messages) => {
        shown = messages.map(({ text }) => text);
        const acts = answer(messages.findLast(HumanMessage.isInstance)?.text ?? '');
        return { delayMs, toolCalls: [{ name: 'choose_acts', args: { acts } }] };
      },
    });
    for (const who of ['1', '2', '3', '4', '5']) await bench.addPerson(who);
  });
  afterAll(async () => {
    await checkReplay(bench.pool, [books], [counter]);
    await bench.close();
  });

  it.each([
    ['an action with its data', [{ action: 'add', data: { by: 4 } }], 'It is at 4, and 0 unclear'],
    ['a field that nobody said as null', [{ action: 'look_up', data: { page: null } }], 'Page 1 is empty'],
    ['no action', [], 'It is at 4, and 1 unclear'],
    ['an action that it does not have', [{ action: 'deploy', data: {} }], 'It is at 4, and 2 unclear'],
    ['data that the action does not take', [{ action: 'add', data: { by: 1e9 } }], 'It is at 4, and 3 unclear'],
  ])('carries out only actions that it has when its model returns %s', async (_, given, said) => {
    decide(...given);
    expect(await ask('1', 'could you do that for me')).toContain(said);
  });

  it('can be stopped while its model interprets a message, and continues with the next message', async () => {
    let isAsked = false;
    answer = () => {
      isAsked = true;
      return [{ action: 'add', data: { by: 50 } }];
    };
    delayMs = 60_000;
    await bench.say('1', 'take your time');
    await until(() => isAsked);
    await bench.stop('1');
    await eventually(
      () => bench.outcomes('1'),
      (outcomes) => outcomes.at(-1) === 'stopped',
    );
    delayMs = 0;
    expect(await ask('1', 'plus 1')).toContain('It is at 5, and 3 unclear');
  });

  it('calls no model for an action, nor for words that its parser understands as a whole', async () => {
    answer = () => {
      throw new Error('nobody is to be asked');
    };
    expect(await ask('1', 'plus 1')).toContain('It is at 6');
    expect(await ask('1', 'counter.add {"by":1}')).toContain('It is at 7');
  });

  it('carries out all that one message asks for, and shows its view once', async () => {
    decide({ action: 'add', data: { by: 2 } }, { action: 'add', data: { by: 3 } });
    expect(await ask('2', 'two more, and then three')).toBe('It is at 5, and 0 unclear (text, desktop).');
  });

  it('keeps what was asked for while it has to ask back, and does it after the answer', async () => {
    decide({ action: 'add' }, { action: 'look_up' });
    expect(await ask('3', 'let it grow and look it up')).toBe('By how much?');
    decide({ action: 'choose_step', data: { step: 7 } });
    expect(await ask('3', 'seven')).toBe(
      'It is at 7, and 0 unclear (text, desktop).\nPage 1 is empty. The books say 7 now.',
    );
    expect(shown.join('\n')).toContain('agent: "By how much?"');
    expect(shown.join('\n')).toContain('counter.choose_step {"step":10} (By ten)');
    expect(shown.join('\n')).toMatch(/Open, .*: add \{\}, look_up \{\}/);
  });

  it('keeps what was asked for when its model guesses wrong in between', async () => {
    decide({ action: 'add' });
    await ask('4', 'let it grow');
    decide();
    await ask('4', 'the usual');
    expect((await bench.replies('4')).at(-1)).toContain('1 unclear');
    decide({ action: 'choose_step', data: { step: 8 } });
    expect(await ask('4', 'eight I mean')).toContain('It is at 8,');
  });

  it('answers a question of the person, and then asks its own question again with its buttons', async () => {
    decide({ action: 'add' });
    await ask('5', 'let it grow');
    decide({ action: 'ask_limit' });
    expect(await ask('5', 'how far does it go?')).toBe('It counts without an end.\nBy how much?');
    const { rows } = await bench.pool.query(
      `select body -> 'buttons' as buttons from outbox where user_key = '5' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ buttons: [{ label: 'By ten', value: 'counter.choose_step {"step":10}' }] }]);
  });
});

describe('a guided agent whose tool loses its connection', () => {
  let bench: WorkerBench;
  let outages = 0;
  /** The books, which cannot be read as often as `outages` says. */
  const flaky: ToolGroup = {
    ...books,
    tools: {
      ...books.tools,
      read_books: {
        ...(books.tools['read_books'] as Tool), // it is there: see counter.ts
        run: async () => {
          outages -= 1;
          if (outages >= 0) throw Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' });
          return { page: 1 };
        },
      },
    },
  };
  beforeAll(async () => {
    bench = await openWorkerBench();
    await bench.startWorker({ wiring: { agents: [counter], groups: [flaky] }, env: { ...env, MODEL: 'offline' } });
    await bench.addPerson('1');
  });
  afterAll(async () => {
    await checkReplay(bench.pool, [flaky], [counter]);
    await bench.close();
  });

  it('continues an interrupted turn, and repeats no effect', async () => {
    await bench.say('1', 'counter.add {"by":4}', { silent: true });
    outages = 2;
    const told = await bench.ask('1', 'counter.look_up');
    expect(told).toEqual(['It is at 4, and 0 unclear (text, desktop).', 'Page 1 is empty. The books say 4 now.']);
    // What had not been taken yet was left to the next turn.
    expect(await bench.outcomes('1')).toEqual(['answered', 'answered']);
    expect((await bench.ask('1', 'counter.add {"by":1}')).join()).toContain('It is at 5,');
    const { rows } = await bench.pool.query(
      `select tool, count(*)::int from actions where tool = 'note_books' group by tool`,
    );
    expect(rows).toEqual([{ tool: 'note_books', count: 1 }]);
  });
});

describe('tools of a guided agent', () => {
  it('are not offered to other agents, and another agent that calls them is refused', () => {
    const registry = createRegistry([books]);
    expect(registry.catalog.groups.filter(({ name }) => name === 'books')).toEqual([]);
    expect(registry.sort(['books'])).toEqual({ installed: [], missing: [], unknown: ['books'] });
    const call = { actionId: 'act_1', tool: 'read_books', args: { page: 1 }, groups: ['books'] };
    expect(parseToolCall(registry, call, 'product_owner')).toMatchObject({
      refused: { ok: false, code: 'TOOL_UNKNOWN' },
    });
    expect(parseToolCall(registry, call, 'counter')).toHaveProperty('runnable');
  });
});

it('a guided agent whose model is unavailable offers its actions as buttons', async () => {
  const bench = await openWorkerBench();
  try {
    const away = { name: 'away', ask: () => Promise.reject(new AppError('MODEL_UNAVAILABLE', {})) };
    const models = (): Promise<Models> => Promise.resolve({ names: ['away'], of: () => away });
    await bench.startWorker({ wiring: { ...wiring, models }, env });
    await bench.addPerson('1');
    expect((await bench.ask('1', 'anybody there?')).join()).toContain('It is at 0, and 1 unclear');
    expect((await bench.ask('1', 'counter.add {"by":1}')).join()).toContain('It is at 1, and 1 unclear');
    await checkReplay(bench.pool, [books], [counter]);
  } finally {
    await bench.close();
  }
});
