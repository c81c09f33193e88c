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
  await bench.pool.query(`update services set serving = 'act_0', health = '{"verdict": "degraded"}'`);
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
