import { ToolMessage } from '@langchain/core/messages';
import type { ModelScript } from '../support/scripted-model.ts';
import { tool, toolGroup, type ToolGroup } from '@signalbox/worker/tools/tool';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

/** Asks for the tool `act` once, and then does what it is told to do. */
function actThen(afterwards: () => ReturnType<ModelScript>): ModelScript {
  return (messages, tools) => {
    if (tools.some(({ name }) => name === 'classify_intent'))
      return {
        toolCalls: [{ name: 'classify_intent', args: { task_summary: 'act', capabilities: ['test'], project: null } }],
      };
    if (!messages.some(ToolMessage.isInstance)) return { toolCalls: [{ name: 'act', args: {} }] };
    return afterwards();
  };
}

function groupOf(run: (signal: AbortSignal) => Promise<unknown>): ToolGroup {
  return toolGroup({
    name: 'test',
    summary: 'Acts.',
    uses: [],
    tools: {
      act: tool({
        describe: 'Acts.',
        hints: ['act'],
        input: z.object({}),
        risk: 'sensitive',
        role: 'developer',
        egress: false,
        deadlineMs: 60_000,
        replay: 'unknown',
        run: (_input, { signal }) => run(signal),
        phrases: { done: () => 'Acted.' },
      }).from('outside'),
    },
  });
}

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.close());

const actions = async (): Promise<unknown> =>
  (await bench.pool.query('select tool, status, error_code from actions order by action_id')).rows;
const audited = async (): Promise<unknown> =>
  (await bench.pool.query(`select kind from audit_events where action_id is not null`)).rows;

/** What the receipts below the answers say that was done. */
const receipts = async (): Promise<readonly string[][]> =>
  (
    await bench.pool.query<{ what: string[] }>(
      `select array(select r ->> 'what' from jsonb_array_elements(body -> 'receipts') r) as what
         from outbox where body ? 'receipts' order by id`,
    )
  ).rows.map(({ what }) => what);

it('/stop during an action does not say that nothing was changed, and leaves no action in the state started', async () => {
  let begun = false;
  const group = groupOf(async (signal) => {
    begun = true;
    await delay(60_000, undefined, { signal });
  });
  await bench.startWorker({ script: actThen(() => ({ content: 'done' })), wiring: { groups: [group] } });
  await bench.addPerson('71');
  await bench.say('71', 'act');
  await eventually(
    async () => begun,
    (is) => is,
  );
  await bench.stop('71');
  await eventually(
    () => bench.outcomes('71'),
    (all) => all[0] === 'stopped',
    10_000,
  );
  const answer = (await bench.replies('71')).at(-1);
  expect(answer).toMatch(/^Stopped\.\s+act was interrupted and I cannot tell whether it took effect/);
  expect(await actions()).toEqual([{ tool: 'act', status: 'unknown', error_code: 'TOOL_OUTCOME_UNKNOWN' }]);
  expect(await audited()).toContainEqual({ kind: 'action.unknown' });
});

it('a message that is given up during an action says that the outcome is unknown, and leaves no action started', async () => {
  const script = actThen(() => ({ content: 'done' }));
  const poison: ModelScript = (messages, tools, call) => {
    if (messages.some((message) => message.text === 'act')) throw new TypeError('poison');
    return script(messages, tools, call);
  };
  await bench.startWorker({ script: poison, wiring: { groups: [groupOf(() => Promise.resolve({}))] } });
  await bench.addPerson('72');
  // What workers leave behind that died in the middle of the effect, each time.
  await bench.pool.query(
    `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, started_at)
     values ('begun', 'turn_0', 'user_72_1', '72', 'act', '{}', 1, 'started', now())`,
  );
  await bench.say('72', 'act');
  await eventually(
    () => bench.outcomes('72'),
    (all) => all[0] === 'dead-lettered',
    40_000,
  );
  expect((await bench.replies('72')).at(-1)).toMatch(
    /could not handle it[\s\S]*act was interrupted and I cannot tell whether it took effect/,
  );
  expect(await actions()).toEqual([{ tool: 'act', status: 'unknown', error_code: 'TOOL_OUTCOME_UNKNOWN' }]);
});

it('a message that is given up after its action succeeded reports the action, also when it is given up again', async () => {
  const script = actThen(() => {
    throw new TypeError('poison');
  });
  await bench.startWorker({ script, wiring: { groups: [groupOf(() => Promise.resolve({}))] } });
  await bench.addPerson('73');
  const id = await bench.say('73', 'act');
  // As if it had failed often enough before.
  await eventually(actions, (rows) => JSON.stringify(rows).includes('done'));
  await bench.pool.query(`update lanes set attempts = 9, not_before = null where user_key = '73'`);
  await eventually(
    () => bench.outcomes('73'),
    (all) => all[0] === 'dead-lettered',
    40_000,
  );
  expect((await bench.replies('73')).at(-1)).toMatch(/could not handle it/);
  expect((await receipts()).at(-1)).toEqual(['act']);
  await bench.pool.query('update inbox set outcome = null where id = $1', [id]);
  await bench.pool.query(`update lanes set attempts = 9, begun = 1 where user_key = '73'`);
  await bench.wake('73');
  await eventually(
    () => bench.outcomes('73'),
    (all) => all[0] === 'dead-lettered',
    40_000,
  );
  expect(await receipts()).toEqual([['act'], ['act']]);
  expect((await bench.pool.query('select 1 from dead_letters')).rowCount).toBe(1);
});
