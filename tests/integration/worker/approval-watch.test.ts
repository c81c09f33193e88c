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
