import { randomUUID } from 'node:crypto';
import { watchApprovals } from '@signalbox/jobs/conversation/approval-watch';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { executeCall } from '@signalbox/governance/action-run';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

const group = toolGroup({
  name: 'test',
  summary: 'test',
  uses: [],
  tools: {
    act: tool({
      describe: 'acts',
      hints: ['act'],
      input: z.object({}),
      risk: 'dangerous',
      role: 'developer',
      egress: false,
      deadlineMs: 1_000,
      replay: 'unknown',
      run: () => Promise.resolve({}),
      phrases: { done: () => 'Did it.' },
    }).from('outside'),
  },
});

let database: TestDatabase;
let pool: Pool;
/** What looks at requests, with no more rights than it has where it runs. */
let maintenance: Pool;
beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 4, as: 'owner' });
  maintenance = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 4, as: 'maintenance' });
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values
       ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'operator'), ('9', 'telegram', 'Zed', 'admin')`,
  );
  // Everybody has written to the bot, so it may write to them.
  await pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     select 'telegram', '100', k, k, 'telegram:' || k, 'message', '{"chatKind": "private"}', 't' from unnest(array['1', '2', '9']) k`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
  const parts = governanceOver(pool, [group], await shippedPolicy());
  await executeCall(parts, scopeOfAda(), { actionId: randomUUID(), tool: 'act', args: {}, groups: ['test'] });
});
afterEach(async () => {
  await maintenance.end();
  await pool.end();
  await database.drop();
});

const due = (column: string): Promise<unknown> =>
  pool.query(`update approvals set ${column} = now() - interval '1 second'`);
const texts = async (chatKey: string): Promise<string[]> =>
  (
    await pool.query<{ text: string }>(`select body ->> 'text' as text from outbox where chat_key = $1 order by id`, [
      chatKey,
    ])
  ).rows.map(({ text }) => text);

it('an approval request that is neither due for a reminder nor expired is not changed', async () => {
  expect(await watchApprovals(maintenance)).toEqual({
    expired: 0,
    reminded: 0,
    escalated: 0,
    voided: 0,
    chats: [],
    wakes: [],
  });
});

it('approvers are reminded of a request once, and the requester is not', async () => {
  await due('remind_at');
  expect(await watchApprovals(maintenance)).toMatchObject({ reminded: 1, chats: ['telegram:-1009'], wakes: [] });
  expect(await watchApprovals(maintenance)).toMatchObject({ reminded: 0 });
  expect((await texts('telegram:-1009')).at(-1)).toMatch(/still waits for a decision/);
  expect((await texts('telegram:1')).join()).not.toMatch(/still waits/);
});

it('admins get an approval card with its buttons once when a request is escalated', async () => {
  await due('escalate_at');
  expect(await watchApprovals(maintenance)).toMatchObject({ escalated: 1, chats: ['telegram:9'] });
  expect(await watchApprovals(maintenance)).toMatchObject({ escalated: 0, reminded: 0 });
  const { rows } = await pool.query(
    `select body -> 'buttons' -> 0 ->> 'label' as label from outbox where chat_key = 'telegram:9'`,
  );
  expect(rows).toEqual([{ label: 'Approve' }]);
});

it('two sweeps at once expire an approval request once, wake its lane once and void its action', async () => {
  await due('expires_at');
  const both = await Promise.all([watchApprovals(maintenance), watchApprovals(maintenance)]);
  expect(both.map(({ expired }) => expired).toSorted((a, b) => a - b)).toEqual([0, 1]);
  const { rows } = await pool.query(
    `select (select status from approvals) as approval, (select status from actions) as action,
            (select count(*)::int from inbox where kind = 'decision') as wakes,
            (select count(*)::int from audit_events where kind = 'approval.expired') as events`,
  );
  expect(rows).toEqual([{ approval: 'expired', action: 'expired', wakes: 1, events: 1 }]);
});

/** What happened meanwhile, and the words with which the request is withdrawn. */
const LOST: readonly (readonly [sql: string, why: string])[] = [
  [`delete from users where user_key = '1'`, 'whoever asked has no role here any more'],
  [`insert into settings (key, value) values ('freeze', '{}')`, 'a freeze began'],
  [`update actions set arguments = '{"project": "shop"}'`, 'its project is gone'],
  [`update actions set arguments = '{"server": "web-1"}'`, 'its server is gone'],
  [
    `with s as (insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
                values ('web-1', 'h', 'staging', 1, 1, 1000, 2000, 'a')),
          p as (insert into projects (name, description, owner, action_id) values ('shop', 'd', '1', 'b')),
          v as (insert into services (project, environment, server) values ('shop', 'staging', 'web-1')),
          d as (insert into deployments (deployment_id, project, environment, server, driver, kind, ref, commit, state, user_key, finished_at)
                values ('d', 'shop', 'staging', 'web-1', 'local', 'deploy', '1.4', 'abc', 'succeeded', '2', now() + interval '1 second'))
     update actions set tool = 'trigger_deploy', arguments = '{"project": "shop", "environment": "staging"}',
            proposal = jsonb_set(proposal, '{action,resolved}', '{"commit": "abc"}')`,
    'this version was deployed meanwhile',
  ],
];

it.each(LOST)(
  'a request that lost its point is withdrawn, and that is said once where its card stands: %s',
  async (meanwhile, why) => {
    await pool.query(meanwhile);
    expect(await watchApprovals(maintenance)).toMatchObject({ voided: 1 });
    expect(await watchApprovals(maintenance)).toMatchObject({ voided: 0 });
    for (const chatKey of ['telegram:-1009', 'telegram:1'])
      expect(
        (await texts(chatKey)).filter((text) => text.includes(`was withdrawn: ${why}. Nothing was changed.`)),
      ).toHaveLength(1);
    const { rows } = await pool.query(
      `select (select status from approvals) as approval, (select status from actions) as action`,
    );
    expect(rows).toEqual([{ approval: 'void', action: 'void' }]);
  },
);

it('a freeze that was there before, and one whose glass is broken, withdraw nothing', async () => {
  await pool.query(`insert into settings (key, value, updated_at) values ('freeze', '{}', now() - interval '1 hour')`);
  expect(await watchApprovals(maintenance)).toMatchObject({ voided: 0 });
  await pool.query(`update settings set updated_at = now() where key = 'freeze'`);
  await pool.query(
    `insert into settings (key, value) values ('break_glass', jsonb_build_object('until', now() + interval '10 minutes'))`,
  );
  expect(await watchApprovals(maintenance)).toMatchObject({ voided: 0 });
});
