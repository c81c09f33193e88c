import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
  await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 });
  await bench.pool.query(
    `insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'operator'), ('1002', 'telegram', 'Ben', 'developer');
     insert into projects (name, description, owner, action_id) values ('shop', '', '1001', 'act_shop'), ('blog', '', '1001', 'act_blog')`,
  );
});
afterEach(() => bench.close());

/** Records an action that ended some minutes ago. */
async function act(
  tool: string,
  args: object,
  minutes: number,
  { user = '1002', status = 'done' } = {},
): Promise<string> {
  const id = `act_${tool}_${minutes}`;
  await bench.pool.query(
    `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposed_at, settled_at)
       values ($1, 'turn_1', 'user_1002_1', $2, $3, $4, 1, $5, now() - ($6 + 1) * interval '1 minute', now() - $6 * interval '1 minute')`,
    [id, user, tool, args, status, minutes],
  );
  return id;
}

async function decide(actionId: string, status: string, minutes: number, byRequester = false): Promise<void> {
  await bench.pool.query(
    `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
       by_requester, authors, card, status, expires_at, decided_at, decided_by)
     values ('apv_' || $1, $1, '1002', 'telegram:1002', 'user_1002_1', 'turn_1', 'trace', '', 'r', 'p', 1, 'operator', true, $4, '{}',
       '{"what": "Stop shop in production"}', $2, now(), now() - $3 * interval '1 minute', '1001')`,
    [actionId, status, minutes, byRequester],
  );
}

const changes = async (args: object = {}) => {
  const { output, said } = await bench.call('what_changed', args);
  return { ...(output as { changes: Record<string, unknown>[]; total: number; more: number }), said };
};

const SHOP = { project: 'shop', environment: 'staging' };

it('changes of all people are shown newest first, and never the value of a variable', async () => {
  await bench.pool.query(
    `insert into services (project, environment, server) values ('shop', 'staging', 'local');
     insert into deployments (deployment_id, project, environment, server, driver, kind, ref, state, user_key, requested_at, finished_at)
       values ('act_d', 'shop', 'staging', 'local', 'process', 'deploy', '1.1', 'succeeded', '1001', now() - interval '9 minutes', now() - interval '8 minutes')`,
  );
  await act('set_service_variable', { ...SHOP, name: 'GREETING', value: 'hunter2-value' }, 7);
  await act('remove_service_variable', { ...SHOP, name: 'OLD' }, 6);
  await act('set_service_variable', { ...SHOP, name: 'DENIED', value: 'x' }, 5, { status: 'denied' });
  const stopped = await act('stop_service', { ...SHOP, environment: 'production' }, 4);
  await decide(stopped, 'consumed', 5);
  await bench.pool.query(
    `insert into approval_votes (approval_id, user_key, name) values ('apv_' || $1::text, '1001', 'Ada')`,
    [stopped],
  );
  await bench.pool.query(
    `insert into incidents (subject, kind, detail, opened_at, closed_at) values
       ('service:shop/staging', 'down', 'It answers 500.', now() - interval '3 minutes', now() - interval '2 minutes'),
       ('server:local', 'down', 'It does not answer.', now() - interval '90 seconds', null),
       ('signalbox', 'redis-away', 'hidden', now(), null)`,
  );
  const found = await changes({ since: '1 hour' });
  const told = found.changes.map(({ kind, project, environment, name, version, state, by, what }) =>
    [kind, project, environment, name, version, state, by, what].filter((value) => value !== undefined).join(' '),
  );
  expect(told).toEqual([
    'incident_opened local down It does not answer.',
    'incident_closed shop staging down It answers 500.',
    'incident_opened shop staging down It answers 500.',
    'stop shop production Ben',
    'approval shop production consumed Ada Stop shop in production',
    'variable_removed shop staging OLD Ben',
    'variable_set shop staging GREETING Ben',
    'deploy shop staging 1.1 succeeded Ada',
  ]);
  expect(JSON.stringify(found)).not.toMatch(/hunter2|DENIED|hidden|redis/);
  expect(found.said).toContain('- 7 min ago: Ben set the variable `GREETING` of shop in staging');
  expect(found.said).toContain('Stop shop in production: approved by Ada');
  expect(found.said).toContain('Ada deployed `1.1` of shop to staging: ');
});

it('each row says who did what to what, and how a request ended', async () => {
  await act('update_project', { project: 'shop', description: 'x' }, 20);
  await act('create_project_intent', { name: 'tea' }, 19);
  const demo = await act('register_demo_project', {}, 18);
  await bench.pool.query(
    `update actions set result = '{"ok": true, "result": {"name": "demo"}}' where action_id = $1`,
    [demo],
  );
  await act('register_server', { name: 'vps-1' }, 17);
  await act('mute_service', { ...SHOP, hours: 0 }, 16);
  const states = [
    ['rejected', 15],
    ['expired', 14],
    ['void', 13],
    ['void', 12],
  ] as const;
  for (const [status, minutes] of states)
    await decide(await act('trigger_deploy', SHOP, minutes, { status }), status, minutes);
  await bench.pool.query(
    `update approvals set decided_by = 'Cleo (operator, id 1003)' where status = 'rejected';
     update approvals set decided_by = null where status <> 'rejected';
     insert into audit_events (kind, actor, action_id, approval_id, data)
       values ('approval.voided', '1002', 'act_trigger_deploy_12', 'apv_act_trigger_deploy_12', '{"reason": "withdrawn"}');
     insert into policy_sets (version, files, loaded_at) values
       ('aaaaaaaaaaaaaaaa', '[{"name": "roles.cedar", "text": "a"}, {"name": "windows.cedar", "text": "b"}]', now() - interval '1 day'),
       ('bbbbbbbbbbbbbbbb', '[{"name": "roles.cedar", "text": "a"}, {"name": "windows.cedar", "text": "c"}]', now() - interval '11 minutes')`,
  );
  const lines = (await changes({ since: '1 hour' })).said
    .split('\n')
    .flatMap((line) => /^- \d+ min ago: (.*)$/.exec(line)?.[1] ?? []);
  expect(lines).toEqual([
    'policies were changed: windows.cedar (version `bbbbbbbbbbbb`)',
    'Stop shop in production: withdrawn by Ben',
    'Stop shop in production: no longer valid',
    'Stop shop in production: expired',
    'Stop shop in production: rejected by Cleo',
    'Ben unmuted the messages about shop in staging',
    'Ben registered the server `vps-1`',
    'Ben registered the project demo',
    'Ben registered the project tea',
    'Ben changed the project shop',
  ]);
});

it('only changes of the named project and since the named time are shown, and what is left out is counted', async () => {
  await act('stop_service', { project: 'blog', environment: 'staging' }, 3);
  await act('stop_service', SHOP, 4);
  await act('register_server', { name: 'vps-1' }, 5);
  await act('stop_service', SHOP, 200);
  expect((await changes({ since: '1 hour', project: 'shop' })).changes).toMatchObject([
    { kind: 'stop', project: 'shop' },
  ]);
  expect((await changes({ since: '1 hour' })).total).toBe(3);
  expect((await changes({ since: '5 hours' })).total).toBe(4);
  for (let n = 10; n < 45; n += 1) await act('stop_service', SHOP, n);
  const many = await changes({ since: '1 hour' });
  expect([many.changes.length, many.total, many.more]).toEqual([30, 38, 8]);
  expect(many.said).toContain('… and 8 older ones. Name a project or a later time to see fewer.');
  await expect(changes({ project: 'nothing' })).rejects.toThrow(/I know no project named nothing/);
});

it('what a person does for themselves, and what they confirmed themselves, is no change for others', async () => {
  await act('remember_fact', { fact: 'I like tea.' }, 3);
  await act('run_command', { command: 'cat diary.txt' }, 3);
  await act('write_file', { path: 'mine.txt', content: 'mine' }, 3);
  await decide(await act('stop_service', SHOP, 4), 'consumed', 5, true);
  expect((await changes()).changes).toMatchObject([{ kind: 'stop' }]);
});

it('nothing to show is said, and a time that cannot be read is refused with examples', async () => {
  const none = await changes({ since: '2 hours', project: 'shop' });
  expect(none.said).toMatch(/^Nothing changed on \*\*shop\*\* since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/);
  await expect(changes({ since: 'soonish' })).rejects.toThrow(
    /I cannot read “soonish” as a time in the past\. Write it like 2 hours/,
  );
});

it('a freeze is in the changes of each project, because it holds for all', async () => {
  await act('set_service_variable', { ...SHOP, name: 'GREETING' }, 3);
  await bench.pool.query(
    `insert into audit_events (kind, actor, data) values ('freeze.set', '1001', '{"reason": "sale"}')`,
  );
  const kinds = async (project: string) =>
    (await changes({ since: '1 hour', project })).changes.map(({ kind }) => kind);
  expect(await kinds('shop')).toEqual(['frozen', 'variable_set']);
  expect(await kinds('blog')).toEqual(['frozen']);
});
