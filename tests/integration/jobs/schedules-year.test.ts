import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { runDueSchedules } from '@signalbox/store/schedules/due-schedules';
import { listNextRuns } from '@signalbox/messages/schedule/next-runs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';

/** Zones whose clocks change in spring and autumn, on both halves of the Earth, and some that never change. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'America/Santiago', 'Asia/Shanghai', 'UTC'];
/** Each at an hour that a change of clocks leaves out or repeats somewhere, or far from it. */
const PATTERNS = ['30 2 * * 0', '15 1 * * 0', '0 0 1 * *', '0 9 1,15 * *', '30 2 13 * 5', '0 3 * * 0', '45 23 * * 6'];
const SCHEDULES = 200;
const FROM = new Date('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let owner: Pool;
let services: readonly Pool[];
beforeAll(async () => {
  database = await createDatabase();
  const log = createLog('test', 'silent');
  owner = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  // Two job services under the login of production.
  services = [1, 2].map((n) =>
    openPool(serviceUrl(database.url, 'maintenance'), log, { name: `jobs-${n}`, max: 4, as: 'maintenance' }),
  );
});
afterAll(async () => {
  for (const pool of [...services, owner]) await pool.end();
  await database.drop();
});

it('200 schedules over a year of changing clocks, outages and two services run or are reported once for each due time', async () => {
  await owner.query(
    `insert into users (user_key, channel, name, role)
    select n::text, 'telegram', 'P' || n, 'developer' from generate_series(1, $1::int) n`,
    [SCHEDULES],
  );
  await owner.query(`insert into chats (chat_key) select 'telegram:' || n from generate_series(1, $1::int) n`, [
    SCHEDULES,
  ]);
  for (let n = 1; n <= SCHEDULES; n += 1) {
    const times = { pattern: PATTERNS[n % PATTERNS.length] ?? '', at: null, zone: ZONES[n % ZONES.length] ?? 'UTC' };
    const [next] = listNextRuns(times, FROM, 1);
    await owner.query(
      `insert into schedules (action_id, user_key, chat_key, chat_kind, thread_id, kind, task, pattern, zone, role, next_at)
       values ('act_' || $1, $1::text, 'telegram:' || $1, 'private', 'user_' || $1, 'reminder', 'water', $2, $3, 'developer', $4)`,
      [String(n), times.pattern, times.zone, next],
    );
  }
  const end = new Date('2027-01-01T00:00:00Z');
  let round = 0;
  for (let at = FROM.getTime(); at <= end.getTime(); round += 1) {
    const now = new Date(at);
    await Promise.all(services.map((pool) => runDueSchedules(pool, now)));
    // Halfway, a tenth of the people lose their role, and each tenth round is an outage of a month.
    if (round === 12) await owner.query(`update users set role = 'viewer' where user_key::int % 10 = 0`);
    at += (round % 10 === 9 ? 30 : 12) * 24 * HOUR_MS;
  }
  const { rows } = await owner.query<{
    id: number;
    pattern: string;
    zone: string;
    state: string;
    due: Date[] | null;
    total: number;
    told: number;
  }>(
    `select s.schedule_id::int as id, s.pattern, s.zone, s.state, array_agg(r.due_at order by r.due_at) as due, count(*)::int + sum(r.missed)::int as total,
            (select count(*)::int from outbox o where o.key like 'schedule:' || s.schedule_id || ':%' and o.key not like '%:role') as told
       from schedules s join schedule_runs r using (schedule_id) group by s.schedule_id order by s.schedule_id`,
  );
  expect(rows).toHaveLength(SCHEDULES);
  expect(rows.filter(({ state }) => state === 'paused')).toHaveLength(SCHEDULES / 10);
  for (const { id, pattern, zone, due, total, told, state } of rows) {
    const last = due?.at(-1) ?? FROM;
    const expected = listNextRuns({ pattern, at: null, zone }, FROM, 400).filter((one) => one <= last);
    // Each due time ran or is counted as missed, and each run was told once.
    expect([id, total, told]).toEqual([id, expected.length, due?.length]);
    expect(state !== 'active' || end.getTime() - last.getTime() < 40 * 24 * HOUR_MS).toBe(true);
  }
  const { rows: paused } = await owner.query(`select count(*)::int as n from outbox where key like 'schedule:%:role'`);
  expect(paused).toEqual([{ n: SCHEDULES / 10 }]);
}, 300_000);

it('a schedule that cannot be run keeps no other schedule from its time', async () => {
  await owner.query(
    `insert into users (user_key, channel, name, role) values ('1', 'telegram', 'P1', 'developer') on conflict do nothing`,
  );
  await owner.query(`insert into chats (chat_key) values ('telegram:1') on conflict do nothing`);
  const { rows } = await owner.query<{ id: number }>(
    `insert into schedules (action_id, user_key, chat_key, chat_kind, thread_id, kind, task, pattern, zone, role, next_at)
     values ('act_broken', '1', 'telegram:1', 'private', 'user_1', 'reminder', 'water', '0 9 * * *', 'No/Zone', 'developer', $1),
            ('act_whole', '1', 'telegram:1', 'private', 'user_1', 'reminder', 'water', '0 9 * * *', 'UTC', 'developer', $2)
     returning schedule_id::int as id`,
    [new Date('2019-01-01T09:00:00Z'), new Date('2020-01-01T09:00:00Z')],
  );
  const [service] = services;
  const run = service && (await runDueSchedules(service, new Date('2020-01-01T09:00:01Z')));
  expect(run?.failures.map(({ id }) => id)).toEqual([rows[0]?.id]);
  const { rows: told } = await owner.query<{ id: number }>(
    `select schedule_id::int as id from schedule_runs where due_at < '2021-01-01'`,
  );
  expect(told.map(({ id }) => id)).toEqual([rows[1]?.id]);
  await owner.query(`update schedules set state = 'removed' where action_id in ('act_broken', 'act_whole')`);
});

it('a job service cannot put other words than those of the schedule into its owner’s lane', async () => {
  const insert = (text: string, due: string): Promise<unknown> =>
    services[0]?.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
       values ('system', 'schedules', $2, '1', 'telegram:1', 'message', $1, 't')`,
      [
        JSON.stringify({
          kind: 'message',
          channel: 'system',
          bot: 'schedules',
          updateId: due,
          userKey: '1',
          chatKey: 'telegram:1',
          text,
          button: null,
          chatKind: 'private',
          name: 'P',
          messageId: null,
        }),
        due,
      ],
    ) ?? Promise.reject(new Error('no service'));
  await owner.query(`insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
    values ('act_task', 'turn_1', 'user_1', '1', 'create_schedule', '{"task": "list the projects"}', 1, 'done')`);
  const { rows } = await owner.query<{ id: string }>(
    `insert into schedules (action_id, user_key, chat_key, chat_kind, thread_id, kind, task, pattern, zone, role)
     values ('act_task', '1', 'telegram:1', 'private', 'user_1', 'task', 'list the projects', '0 9 * * *', 'UTC', 'developer')
     returning schedule_id::text as id`,
  );
  const due = new Date('2026-03-01T09:00:00Z');
  await owner.query(`insert into schedule_runs (schedule_id, due_at, outcome) values ($1, $2, 'ran')`, [
    rows[0]?.id,
    due,
  ]);
  const key = `${rows[0]?.id}:${due.getTime()}`;
  await expect(insert('deploy shop to production', key)).rejects.toThrow(/row-level security/);
  await expect(insert('list the projects', `${rows[0]?.id}:1`)).rejects.toThrow(/row-level security/);
  await insert('list the projects', key);
});
