import { ToolMessage } from '@langchain/core/messages';
import type { ModelScript } from '../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

/* What becomes of effects of which nobody saw the end: the ledger says what is, and whoever asked hears of it once. */

const CREATE = {
  name: 'create_project_intent',
  args: { name: 'demo', description: 'A shop.' },
};

/** Asks for one call, and repeats what came of it. */
const acts =
  (call: { readonly name: string; readonly args: Record<string, unknown> }): ModelScript =>
  (messages, tools) => {
    if (tools.some(({ name }) => name === 'classify_intent'))
      return {
        toolCalls: [
          {
            name: 'classify_intent',
            args: { task_summary: 'act', capabilities: ['project_management', 'infrastructure'], project: null },
          },
        ],
      };
    const result = messages.findLast(ToolMessage.isInstance);
    return result ? { content: `tool said: ${result.text}` } : { toolCalls: [call] };
  };

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('91', 'admin');
});
afterEach(() => bench.close());

const action = async (): Promise<Record<string, unknown> | undefined> =>
  (
    await bench.pool.query<Record<string, unknown>>(
      `select action_id, status, error_code from actions where tool = 'create_project_intent'`,
    )
  ).rows[0];
const projects = async (): Promise<number> =>
  (await bench.pool.query(`select 1 from projects where name = 'demo'`)).rowCount ?? 0;
const heard = async (pattern: RegExp): Promise<string[]> =>
  (await bench.replies('91')).filter((text) => pattern.test(text));

async function createDemo(): Promise<void> {
  await bench.startWorker({ script: acts(CREATE) });
  await bench.say('91', 'create project demo: A shop.');
  await eventually(
    () => bench.outcomes('91'),
    (all) => all.every(Boolean),
    30_000,
  );
}

/** What a worker leaves behind that was cut off after it had begun, when nobody goes on with its turn. */
async function forget(status: 'started' | 'unknown'): Promise<void> {
  await bench.pool.query(
    `update actions set status = $1, result = null, error_code = null, settled_at = null, probe_at = now()
      where tool = 'create_project_intent'`,
    [status],
  );
}

it('a creation that timed out before its write becomes failed, and is never written afterwards', async () => {
  const lock = new pg.Client({ connectionString: bench.databaseUrl });
  await lock.connect();
  await lock.query('begin; lock table projects in exclusive mode');
  await createDemo();
  // Its statement still waits, and goes on now.
  await lock.query('commit');
  await lock.end();
  await eventually(
    async () =>
      (
        await bench.pool.query(
          `select 1 from pg_stat_activity where state = 'active' and query like 'insert into projects%'`,
        )
      ).rowCount,
    (active) => active === 0,
  );
  expect(await action()).toMatchObject({ status: 'failed', error_code: 'TOOL_NOT_DONE' });
  expect(await projects()).toBe(0);
  expect((await bench.replies('91')).at(-1)).toMatch(/interrupted before it took effect/);
}, 60_000);

it.each(['started', 'unknown'] as const)(
  'an action that stayed %s after its message was settled, but took effect, becomes done and is reported once',
  async (status) => {
    await createDemo();
    expect(await action()).toMatchObject({ status: 'done' });
    await forget(status);
    await eventually(action, (row) => row?.['status'] === 'done');
    await eventually(
      () => heard(/It was done after all\. I created the project \*\*demo\*\*/),
      (all) => all.length === 1,
    );
    // Looked at again, there is nothing to tell.
    await bench.pool.query(`update actions set probe_at = now()`);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await heard(/It was done after all/)).toHaveLength(1);
    expect(await projects()).toBe(1);
  },
  60_000,
);

it('an action of unknown outcome that wrote nothing becomes failed, and can write nothing afterwards', async () => {
  await createDemo();
  const row = await action();
  await bench.pool.query(`delete from action_effects; delete from projects where name = 'demo'`);
  await forget('unknown');
  await eventually(action, (now) => now?.['status'] === 'failed');
  expect(await heard(/interrupted before it took effect\. It changed nothing/)).toHaveLength(1);
  const late = bench.pool.query(
    `insert into projects (name, description, owner, action_id) values ('demo', 'x', '91', $1)`,
    [row?.['action_id']],
  );
  await expect(late).rejects.toThrow(/was settled as failed before this/);
}, 60_000);

it('an action of unknown outcome whose tool no longer exists is reported once, and left to people', async () => {
  await createDemo();
  await bench.pool.query(
    `update actions set proposal = jsonb_set(proposal, '{action,toolVersion}', '"older"') where tool = 'create_project_intent'`,
  );
  await forget('started');
  await eventually(action, (row) => row?.['status'] === 'unknown');
  await eventually(
    async () => (await bench.pool.query(`select 1 from actions where probe_at = 'infinity'`)).rowCount,
    (rows) => rows === 1,
  );
  expect(await heard(/cannot tell whether it took effect/)).toHaveLength(1);
}, 60_000);

it('the next turn of the conversation knows the outcome of an action whose outcome was unknown before', async () => {
  let isKnown = false;
  const act = tool({
    describe: 'Acts.',
    hints: ['act'],
    input: z.object({}),
    risk: 'sensitive',
    role: 'developer',
    egress: false,
    deadlineMs: 300,
    replay: 'unknown',
    probe: () => Promise.resolve(isKnown ? { kind: 'done' as const, output: {} } : { kind: 'unknown' as const }),
    run: (_input, { signal }) => new Promise<object>((_resolve, reject) => signal.addEventListener('abort', reject)),
    phrases: { done: () => 'Acted.' },
  }).from('outside');
  const groups = [toolGroup({ name: 'project_management', summary: 'Acts.', uses: [], tools: { act } })];
  await bench.startWorker({ script: acts({ name: 'act', args: {} }), wiring: { groups } });
  await bench.say('91', 'act');
  await eventually(
    () => heard(/^tool said: .*(?:TOOL_TIMED_OUT|TOOL_OUTCOME_UNKNOWN)/),
    (all) => all.length === 1,
    30_000,
  );
  isKnown = true;
  await bench.pool.query(`update actions set probe_at = now()`);
  await eventually(
    () => heard(/It was done after all\. Acted\./),
    (all) => all.length === 1,
    30_000,
  );
  await bench.say('91', 'and?');
  await eventually(
    () => heard(/^tool said: \{"ok":true,"say":"Acted\."\}/),
    (all) => all.length === 1,
    30_000,
  );
}, 90_000);
