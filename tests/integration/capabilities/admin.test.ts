import { ToolMessage } from '@langchain/core/messages';
import { Approvals } from '@signalbox/governance/approvals';
import { clearProjectState } from '@signalbox/store/turns/graph-nodes';
import { withTransaction } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import type { ModelScript } from '../../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { shippedPolicy } from '../../support/governance.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

// Ada (admin) looks at and repairs the conversation of Ben (developer), by the tools of the group admin and diagnose.

let bench: WorkerBench;
let isJammed = true;
const valves = toolGroup({
  name: 'valves',
  summary: 'Valves of a project that may be jammed.',
  uses: [],
  tools: {
    turn_valve: tool({
      describe: 'Turn the valve of a project.',
      hints: ['turn the valve of shop', 'open the valve of shop', 'close the valve of blog'],
      input: z.object({ project: z.string() }),
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ project }) => {
        if (isJammed) throw new AppError('NEVER_DEPLOYED', { detail: 'The valve is jammed.' }); // in our own words
        return { project };
      },
      phrases: { done: ({ project }) => `The valve of ${project} is turned.` },
    }).from('outside'),
  },
});

const GROUPS = ['admin', 'diagnose', 'valves'];

/** Words such as `call list_graph_nodes {"thread":"…"}` become that call, and so does `turn the valve of shop`; its result is the answer. */
const script: ModelScript = (messages, tools) => {
  const last = messages.at(-1);
  const isLoading = ToolMessage.isInstance(last) && last.name === 'request_capabilities';
  if (ToolMessage.isInstance(last) && !isLoading) return { content: String(last.additional_kwargs['say']) };
  const words = messages.findLast((message) => message.getType() === 'human');
  const said = words?.text.replace(/^turn the valve of (\w+)$/, 'call turn_valve {"project":"$1"}') ?? '';
  const [, name = '', args = '{}'] = /^call (\w+) ?(.*)$/.exec(said) ?? [];
  if (name !== '' && !isLoading && !tools.some((one) => one.name === name))
    return { toolCalls: [{ name: 'request_capabilities', args: { capabilities: GROUPS, reason: 'to do it' } }] };
  return name === ''
    ? { content: 'hello' }
    : { toolCalls: [{ name, args: JSON.parse(args) as Record<string, unknown> }] };
};

beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('1001', 'admin');
  await bench.addPerson('1009', 'admin');
  await bench.addPerson('1002', 'developer');
  await bench.pool.query(
    `insert into projects (name, description, status, owner, action_id) values ('shop', '', 'active', '1002', 'a')`,
  );
  await bench.startWorker({ script, wiring: { groups: [valves] } });
  // Whoever approves has to have written to us.
  await ask('1009', 'hello');
});
afterAll(() => bench.close());

async function ask(userKey: string, text: string): Promise<string> {
  const before = (await bench.replies(userKey)).length;
  await bench.say(userKey, text);
  await bench.settle();
  return (
    (
      await eventually(
        () => bench.replies(userKey),
        (all) => all.length > before,
      )
    ).at(-1) ?? ''
  );
}

const call = (userKey: string, name: string, args: Record<string, unknown> = {}): Promise<string> =>
  ask(userKey, `call ${name} ${JSON.stringify(args)}`);

const BENS = 'user_1002_1';

test('the graph nodes of a conversation are listed with what they did', async () => {
  expect(await ask('1002', 'turn the valve of shop')).toContain('jammed');
  const said = await call('1001', 'list_graph_nodes', { thread: BENS });
  expect(said).toMatch(/user_1002_1\*\* \(P1002, product_owner, open\)/);
  expect(said).toMatch(/`intent_parser`: 1 pass, last/);
  expect(said).toMatch(/`po_tools`: 2 passes, 2 tool calls \(1 failed\), last/);
});

test('the state of a graph node is shown to admins only, without secrets', async () => {
  await ask('1002', 'my key is AKIAIOSFODNN7EXAMPLE');
  const said = await call('1001', 'get_node_state', { node: 'product_owner', thread: BENS });
  expect(said).toContain('"activeCapabilities"');
  expect(said).not.toContain('AKIAIOSFODNN7EXAMPLE');
  expect(await call('1002', 'get_node_state', { node: 'product_owner', thread: BENS })).not.toContain(
    'activeCapabilities',
  );
  const { rows } = await bench.pool.query(
    `select marks from actions where tool = 'get_node_state' and user_key = '1001'`,
  );
  expect(JSON.stringify(rows)).toMatch(/private/);
});

test('the log of graph nodes is shown to their person and admins, and only failed nodes can be retried', async () => {
  expect(await call('1001', 'get_node_logs', { thread: BENS, node: 'po_tools' })).toMatch(/turn_valve/);
  const adas = 'user_1001_1';
  expect(await call('1002', 'get_node_logs', { thread: adas })).toContain('it needs the role admin');
  expect(await call('1001', 'retry_failed_node', { thread: BENS })).toContain('did not fail');
});

test('a graph node runs again only after another person approved it, and an inbox row starts it', async () => {
  expect(await ask('1002', 'turn the valve of shop')).toContain('jammed');
  isJammed = false;
  expect(await call('1001', 'trigger_node_manually', { thread: BENS, node: 'po_tools' })).toContain(
    'I have asked P1009 for it',
  );
  expect((await bench.pool.query(`select 1 from inbox where kind = 'node'`)).rowCount).toBe(0);
  const { rows } = await bench.pool.query<{ id: string; card: { what: string } }>(
    `select approval_id as id, card from approvals where status = 'pending' order by requested_at desc limit 1`,
  );
  expect(rows[0]?.card.what).toBe(`Run po_tools again in ${BENS}`);
  const by = { userKey: '1009', name: 'P1009', role: 'admin' as const, chatKey: 'telegram:1009' };
  const decided = await withTransaction(bench.pool, async (db) =>
    new Approvals(db).decide(await shippedPolicy(), { approvalId: rows[0]?.id ?? '', verb: 'approve', by }),
  );
  expect(decided.wake).not.toBeNull();
  await bench.wake('1001');
  const bens = await eventually(
    () => bench.replies('1002'),
    (all) => all.at(-1)?.includes('is turned') ?? false,
    20_000,
  );
  expect(bens.at(-2)).toBe('_P1001 had `po_tools` run again._');
  expect(bens.at(-1)).toBe('The valve of shop is turned.');
  const { rows: turns } = await bench.pool.query<{ status: string }>(
    `select status from actions where tool = 'turn_valve' order by proposed_at`,
  );
  expect(turns.map(({ status }) => status)).toEqual(['failed', 'failed', 'done']);
});

test('clearing the state of a project closes the conversations about this project, and no others', async () => {
  expect(await ask('1002', 'turn the valve of shop')).toContain('turned');
  const cleared = await clearProjectState(bench.pool, 'shop', 'user_1001_1', 'act_clear');
  expect(cleared.closed.map(({ threadId }) => threadId)).toEqual([BENS]);
  expect(cleared.busy).toEqual([]);
  expect((await clearProjectState(bench.pool, 'shop', 'user_1001_1', 'act_clear')).closed).toEqual([]);
  const { rows } = await bench.pool.query(
    `select thread_id, status from threads where user_key in ('1002', '1009') order by thread_id`,
  );
  expect(rows).toEqual([
    { thread_id: BENS, status: 'closed' },
    { thread_id: 'user_1009_1', status: 'open' },
  ]);
  expect((await bench.pool.query('select 1 from actions')).rowCount).toBeGreaterThan(0);
});
