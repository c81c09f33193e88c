import { ToolMessage } from '@langchain/core/messages';
import { HOUR_MS } from '@signalbox/contracts/time';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { echo, humans, intent } from '../../support/echo.ts';
import type { ModelScript } from '../../support/scripted-model.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(async () => {
  vi.useRealTimers();
  await bench.close();
});

const setClock = (offMs: number): void => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs, shouldAdvanceTime: true });
};

describe("a worker whose machine's clock is off", () => {
  it.each([
    ['two hours ahead', 2 * HOUR_MS],
    ['two hours behind', -2 * HOUR_MS],
  ])('records the start of each turn before its end (%s)', async (_how, offMs) => {
    await bench.addPerson('72');
    setClock(offMs);
    await bench.startWorker({ script: echo() });
    await bench.say('72', 'm1');
    await eventually(
      () => bench.outcomes('72'),
      (all) => all.every(Boolean),
    );
    const { rows } = await bench.pool.query(
      `select started_at between i.received_at and ended_at as "isInOrder", ended_at <= clock_timestamp() as "isOver"
         from turns t join inbox i on i.turn_id = t.turn_id`,
    );
    expect(rows).toEqual([{ isInOrder: true, isOver: true }]);
  });

  it('continues conversations that began on a machine with a correct clock, and reports every change', async () => {
    const people = ['73', '74', '75', '76'];
    for (const one of people) await bench.addPerson(one);
    const right = await bench.startWorker({ script: setsFlags, wiring: { groups: [flags] } });
    await Promise.all(people.map((one) => bench.ask(one, 'set the flag early')));
    await right.close();

    setClock(-2 * HOUR_MS);
    const behind = await bench.startWorker({ script: setsFlags, wiring: { groups: [flags] } });
    const told = await Promise.all(people.map((one) => bench.ask(one, 'set the flag late')));
    expect(told).toEqual(people.map(() => [expect.stringContaining('"flag":"late"')]));
    await behind.close();

    setClock(0);
    await bench.startWorker({ script: setsFlags, wiring: { groups: [flags] } });
    for (const one of people) expect(await bench.ask(one, 'what did I say?')).toEqual(['early, late']);
    const { rows } = await bench.pool.query(`select r ->> 'what' as what, count(*)::int from outbox,
      jsonb_array_elements(body -> 'receipts') r group by 1 order by 1`);
    expect(rows).toEqual([
      { what: expect.stringContaining('early'), count: people.length },
      { what: expect.stringContaining('late'), count: people.length },
    ]);
  });
});

const flags = toolGroup({
  name: 'project_management',
  summary: 'Flags.',
  uses: [],
  tools: {
    set_flag: tool({
      describe: 'Set a flag.',
      hints: ['set the flag'],
      input: z.object({ name: z.string() }),
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'unknown',
      run: async ({ name }) => ({ flag: name }),
      phrases: { done: (_output, { name }) => `The flag ${name} is set.` },
    }).from('outside'),
  },
});

/** Sets the flag that the last word of a message names; asked about it, it repeats the names of all messages. */
const setsFlags: ModelScript = (messages, tools) => {
  if (tools.some((one) => one.name === 'classify_intent')) return intent('project_management');
  const said = humans(messages).map(({ text }) => text.split(' ').at(-1) ?? '');
  if (said.at(-1) === 'say?') return { content: said.slice(0, -1).join(', ') };
  const result = messages.at(-1);
  if (ToolMessage.isInstance(result)) return { content: result.text };
  return { toolCalls: [{ name: 'set_flag', args: { name: said.at(-1) } }] };
};
