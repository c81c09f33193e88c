import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
  await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 });
  await bench.call('register_demo_project', {});
  await bench.pool.query(
    `insert into threads (thread_id, user_key, n, chat_key, agent) values ('user_1001_1', '1001', 1, 'telegram:1001', 'a')`,
  );
});
afterEach(() => bench.close());

/** A request for production as governance stores it. */
async function request(version: string): Promise<void> {
  const args = JSON.stringify({ project: 'demo', version, environment: 'production' });
  const card = {
    what: `Deploy demo ${version} to production`,
    change: '',
    reach: '',
    undo: '',
    why: 'Two look at it.',
    requester: 'Ada',
  };
  await bench.pool.query(
    `insert into actions (action_id, thread_id, user_key, turn_id, tool, arguments, proposal, epoch, status)
     values ('act_1', 'user_1001_1', '1001', 'turn_1', 'trigger_deploy', $1, '{}', 1, 'waiting')`,
    [args],
  );
  await bench.pool.query(
    `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo, authors, card, expires_at)
     values ('apv_1', 'act_1', '1001', 'telegram:1001', 'user_1001_1', 'turn_1', 't', 'h', 'r', 'p', 2, 'operator', false, '{1001}', $1, now() + interval '1 hour')`,
    [JSON.stringify(card)],
  );
}

it('a request for production tells what staging said of that version', async () => {
  await bench.call(
    'trigger_deploy',
    { project: 'demo', environment: 'staging', version: '1.0' },
    { actionId: 'act_0' },
  );
  await bench.pool.query(`update deployments set state = 'succeeded', release = '1.0-abc1234', finished_at = now()`);
  await bench.pool.query(
    `update services set serving = 'act_0', health = '{"verdict": "degraded", "release": "1.0-abc1234"}', health_at = now()`,
  );
  await bench.pool.query(
    `insert into incidents (subject, kind, detail, evidence) values ('service:demo/staging', 'slow', 'It is slow.', '{}')`,
  );
  await request('1.0');
  const { said, output } = await bench.call('show_request', {});
  expect(said).toContain('demo in production: nothing serves yet, and 1.0 is to be the first.');
  expect(said).toMatch(
    /Staging: 1\.0 is there as “deployed”, \S+ s ago\. It serves there, but is degraded, with 1 open incident\./,
  );
  expect(output['deployment']).toMatchObject({
    serves: null,
    staging: { state: 'succeeded', isServing: true, verdict: 'degraded', incidents: ['slow'] },
  });
});

it('a version that was never on staging is said to be that', async () => {
  await request('1.1');
  expect((await bench.call('show_request', { request: 'apv_1' })).said).toContain(
    'Staging: 1.1 was never deployed there.',
  );
});

it('a request for a plan tells each step: what it does, where, with which values, on which condition, and how far it is', async () => {
  await request('1.1');
  const step = (tool: string, environment: string, args: object, condition = 'done') => ({
    proposal: { action: { tool, environment, arguments: args } },
    if: condition,
  });
  const steps = [
    step('trigger_deploy', 'staging', { project: 'demo', version: '1.1', environment: 'staging' }),
    step('check_service_health', 'staging', { project: 'demo', environment: 'staging' }),
    step('trigger_deploy', 'production', { project: 'demo', version: '1.1', environment: 'production' }, 'healthy'),
  ];
  await bench.pool.query(
    `update actions set tool = 'propose_plan', arguments = '{}', proposal = jsonb_build_object('steps', $1::jsonb)`,
    [JSON.stringify(steps)],
  );
  const lines = ['Deploy to staging', 'Check staging', 'Only if that is healthy: Deploy to production'];
  await bench.pool.query(`update approvals set card = card || jsonb_build_object('steps', $1::jsonb)`, [
    JSON.stringify(lines),
  ]);
  const waiting = await bench.call('show_request', {});
  expect(waiting.output['steps']).toEqual(
    steps.map(({ proposal: { action }, if: condition }, at) => ({
      step: at + 1,
      tool: action.tool,
      what: lines[at],
      environment: action.environment,
      if: condition,
      values: action.arguments,
      state: 'ahead',
    })),
  );
  expect(waiting.said).toContain('3. Only if that is healthy: Deploy to production: not yet');
  await bench.pool.query(`update approvals set status = 'consumed'`);
  await bench.pool.query(
    `insert into plans (plan_id, user_key, chat_key, thread_id, steps, outcomes)
     values ('act_1', '1001', 'telegram:1001', 'user_1001_1', $1, '[{"state": "done", "say": "", "isOutside": false, "meets": []}]')`,
    [JSON.stringify(steps)],
  );
  const running = await bench.call('show_request', { request: 'apv_1' });
  expect(running.output['steps']).toMatchObject([{ state: 'done' }, { state: 'running' }, { state: 'ahead' }]);
  expect(running.said).toContain('1. ✅ Deploy to staging\n2. Check staging: in progress');
});
