import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

async function ask(person: number, text: string): Promise<string> {
  const before = (await harness.said(person)).length;
  await harness.people.post('/api/messages', { from: person, text });
  return until(`${text} is answered`, async () => (await harness.said(person))[before]);
}

const audited = (kind: string): Promise<readonly { data: unknown; actor: string }[]> =>
  harness.rows<{ data: unknown; actor: string }>(
    'select data, actor from audit_events where kind = $1 order by event_id',
    [kind],
  );

test('/users lists people with the time of their last message, and only for an admin', async () => {
  await ask(1002, '/whoami');
  const list = await ask(1001, '/users');
  expect(list).toMatch(/^3 people:/);
  expect(list).toMatch(/Ben, id 1002: developer, wrote [\d.]+ s ago/);
  expect(list).toContain('Eli, id 1005: viewer, has not written yet');
  expect(await ask(1002, '/users')).toContain('needs the role admin');
});

test('/role changes a role by name or id, is audited, and does not demote the only admin', async () => {
  expect(await ask(1001, '/role Ben operator')).toBe('Ben (id 1002) is an operator now.');
  expect(await ask(1001, '/role 1005 developer')).toBe('Eli (id 1005) is a developer now.');
  expect(await ask(1001, '/role Ada viewer')).toContain('Ada is the only admin');
  expect(await ask(1001, '/role Nobody viewer')).toContain('I know no one named Nobody');
  expect(await ask(1001, '/role Ben king')).toContain('/role <person> <role>');
  expect(await ask(1002, '/role Ben admin')).toContain('needs the role admin');
  expect(await audited('role.changed')).toEqual([
    { actor: '1001', data: { role: 'admin', person: '1002', from: 'developer', to: 'operator' } },
    { actor: '1001', data: { role: 'admin', person: '1005', from: 'viewer', to: 'developer' } },
  ]);
});

test('/queues lists waiting and stuck work, and retries a dead letter once', async () => {
  const { rows } = await harness.pool.query<{ id: string }>(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
     values ('telegram', '100', 'dead', '1002', 'telegram:1002', 'message', '{}', 't', 'dead-lettered') returning id`,
  );
  await harness.pool.query(`insert into lanes (user_key) values ('1002') on conflict do nothing`);
  await harness.pool.query(
    `insert into dead_letters (id, source, ref, user_key, reason, body) values ('dl_1', 'inbound', $1, '1002', 'it broke', '{}')`,
    [rows[0]?.id],
  );
  const seen = await ask(1001, '/queues');
  expect(seen).toMatch(
    /Incoming: \d+ messages? open[\s\S]*Outgoing: [\s\S]*Now serving: [\s\S]*Jobs: [\s\S]*Failed messages \(dead letters\): 1/,
  );
  expect(seen).toContain('dl_1 inbound');
  expect(await ask(1002, '/queues')).toContain('needs the role admin');
  expect(await ask(1001, '/queues retry dl_1')).toBe('Retrying it now.');
  expect(await ask(1001, '/queues retry dl_1')).toContain('already resolved');
  expect(await ask(1001, '/queues retry dl_9')).toContain('no failed message (dead letter) dl_9');
  expect(await audited('dead_letter.settled')).toHaveLength(1);
  const open = await harness.rows(`select 1 from inbox where update_id = 'dead' and outcome is null`);
  expect(open).toHaveLength(1);
});

test('/mute silences a service for some hours, confirms it, and is refused to viewers', async () => {
  await harness.pool.query(
    `insert into projects (name, description, status, owner, action_id) values ('shop', '', 'active', '1002', 'a')`,
  );
  await harness.pool.query(
    `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
     values ('vps', '127.0.0.1', 'staging', 1, 512, 20000, 20010, 'b')`,
  );
  await harness.pool.query(`insert into services (project, environment, server) values ('shop', 'staging', 'vps')`);
  expect(await ask(1002, '/mute shop staging 2')).toBe(
    'I send no messages about shop in staging for 2 h. I still watch it.',
  );
  expect(await ask(1002, '/mute')).toMatch(/shop\/staging for another 2 h/);
  expect(await ask(1002, '/mute blog staging')).toContain('There are: shop/staging');
  expect(await ask(1002, '/mute shop')).toContain('/mute <project> <environment> [hours]');
  expect(await ask(1005, '/mute shop staging')).toContain('needs the role developer');
  expect(await ask(1002, '/mute shop staging 30m')).toContain('for 30 min.');
  expect(await ask(1002, '/mute shop staging 0')).toContain('are on again');
  expect(await harness.rows('select 1 from services where muted_until is not null')).toEqual([]);
  expect(await audited('service.muted')).toHaveLength(3);
});
