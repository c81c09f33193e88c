import { HumanMessage } from '@langchain/core/messages';
import { createScriptedModels, type ModelScript } from '../support/scripted-model.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

const PEOPLE = 200;
const TEXTS = ['one', 'two', 'three', 'four', 'five'];
/** The one whose model takes for ever: longer than the others need on the slowest machine. */
const SLOW = 60_000;

/** Echoes every text of the batch in one answer; thinks for a minute and a half about the word "slow". */
const script: ModelScript = (messages, tools) => {
  if (tools.some((tool) => tool.name === 'classify_intent')) {
    return {
      toolCalls: [{ name: 'classify_intent', args: { task_summary: 'echo', capabilities: [], project: null } }],
    };
  }
  const answered = messages.findLastIndex((message) => message.getType() === 'ai');
  const fresh = messages.slice(answered + 1).filter(HumanMessage.isInstance);
  const slow = fresh.some((message) => message.text === 'slow');
  return { content: fresh.map((message) => `<${message.text}>`).join(' '), delayMs: slow ? 90_000 : 20 };
};

describe('with 200 people who send five messages each at once', () => {
  let stack: Stack;
  afterEach(() => stack.close());

  const run = async (withSlow: boolean): Promise<number> => {
    stack = await openStack({
      workers: 3,
      env: { DATABASE_CONNECTIONS: '12' },
      wiring: { models: () => Promise.resolve(createScriptedModels(script)) },
    });
    const people = await Promise.all(Array.from({ length: PEOPLE }, (_, i) => stack.person(SLOW + 1 + i, 'developer')));
    if (withSlow) await (await stack.person(SLOW, 'developer')).send('slow');
    await Promise.all(
      people.map(async (person) => {
        for (const text of TEXTS) await person.send(text);
      }),
    );
    const rest = `user_key <> '${SLOW}'`;
    const open = async (): Promise<{ settled: number; unsent: number }> => {
      const { rows } = await stack.pool.query<{ settled: number; unsent: number }>(
        `select (select count(*)::int from inbox where outcome is not null and ${rest}) as settled,
                (select count(*)::int from outbox where status <> 'sent' and ${rest}) as unsent`,
      );
      return rows[0] ?? { settled: 0, unsent: 0 };
    };
    await eventually(open, (state) => state.settled === PEOPLE * TEXTS.length && state.unsent === 0, 120_000);
    const { rows: outcomes } = await stack.pool.query<{ outcome: string }>(
      `select distinct outcome from inbox where ${rest} order by 1`,
    );
    expect(outcomes.every(({ outcome }) => ['answered', 'merged'].includes(outcome))).toBe(true);
    const { rows: threads } = await stack.pool.query(
      `select max(n) as top, count(*)::int as count from threads where ${rest}`,
    );
    expect(threads).toEqual([{ top: 1, count: PEOPLE }]);
    const expected = TEXTS.map((text) => `<${text}>`).join(' ');
    const heard = await Promise.all(
      people.map(async (person) => (await person.heard()).map((message) => message.text).join(' ')),
    );
    expect(heard.filter((all) => all !== expected)).toEqual([]);
    const { rows: waits } = await stack.pool.query<{ p99: number }>(
      `select percentile_disc(0.99) within group (order by extract(epoch from settled_at - received_at)) as p99 from inbox where ${rest}`,
    );
    return Number(waits[0]?.p99);
  };

  it('each message has one outcome, and is answered once and in order', async () => {
    const p99 = await run(false);
    console.log(`p99 from received to settled: ${p99.toFixed(2)} s`);
    expect(p99).toBeGreaterThan(0);
  });

  it('one person whose model is slow delays nobody else', async () => {
    const p99 = await run(true);
    console.log(`p99 of the others beside a slow person: ${p99.toFixed(2)} s`);
    const { rows } = await stack.pool.query(`select outcome from inbox where user_key = '${SLOW}'`);
    // All 1,000 others were through while this one was still being thought about.
    expect(rows).toEqual([{ outcome: null }]);
  });
});
