import { randomUUID } from 'node:crypto';
import { runRetention } from '@signalbox/jobs/conversation/retention-run';
import { admitUpdates } from '@signalbox/gateway/rows/inbox';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { noteSizes, readSizes } from '@signalbox/store/retention/sizes';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { headersOf, nowSeconds, post, SECRET, type Program } from '../ingress/program.ts';
import { writeSources } from '../ingress/sources-file.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { checkReplay } from '../support/replay-check.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

// A year with the product: each month people talk, ask and decide, then everything is made a month older, and retention runs with its own login.

const MONTHS = 12;
const KEPT = { RETENTION_DAYS: 90, RETENTION_CHECKPOINT_DAYS: 14, RETENTION_WORK_DAYS: 60 };
/** Bytes of the rows of each table, at the end of each month. */
const months: Readonly<Record<string, number>>[] = [];
let unlived: Readonly<Record<string, number>>;
let stack: Stack;
let target: DeployTarget;
let maintenance: Pool;
let gateway: Pool;
let program: Program;
let admin: Person;
let developer: Person;
let ops: Person;
let second: Person;
/** What the first month left, before it was deleted. */
let first: {
  readonly turnId: string;
  readonly threadId: string;
  readonly approvalId: string;
  readonly cardId: string;
  readonly updateId: string;
  readonly bot: string;
};
const event = { text: 'what is the status of shop?' };
const eventKey = randomUUID();

beforeAll(async () => {
  target = await openDeployTarget();
  const source = { name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' } };
  const port = String(await findFreePort());
  stack = await openStack({
    jobs: true,
    wiring: { groups: [deployGroup(target)] },
    env: {
      GATEWAY_CHANNELS: 'telegram,ingress',
      GATEWAY_HTTP_PORT: port,
      INGRESS_SOURCES_FILE: writeSources([source]),
    },
  });
  program = { url: `http://127.0.0.1:${port}`, source: 'ci', secret: SECRET };
  const log = createLog('test', 'silent');
  maintenance = openPool(stack.wiring.databaseUrl('maintenance'), log, { name: 'test', max: 2, as: 'maintenance' });
  gateway = openPool(stack.wiring.databaseUrl('gateway'), log, { name: 'test', max: 2, as: 'gateway' });
  admin = await stack.person(1001, 'admin');
  developer = await stack.person(1002, 'developer');
  ops = await stack.person(1003, 'operator');
  second = await stack.person(1004, 'operator');
  for (const person of [admin, ops, second]) await person.ask('hello');
  await admin.ask('create a project called shop for the web shop');
  unlived = await measureRows();
  for (let month = 1; month <= MONTHS; month++) {
    await liveOneMonth(month);
    if (month === 1) first = await readFirst();
    await makeOlder();
    await runRetention(maintenance, KEPT, AbortSignal.timeout(60_000));
    months.push(await measureRows());
    if (month < MONTHS) await noteSizes(maintenance, await readSizes(maintenance, {}, 10_000));
  }
}, 300_000);
afterAll(async () => {
  await gateway.end();
  await maintenance.end();
  await stack.close();
  await target.close();
}, 60_000);

async function liveOneMonth(month: number): Promise<void> {
  await developer.ask(`what is the status of shop?`);
  await developer.ask(`deploy shop 1.${month}.0 to staging`);
  await ops.ask('what is in progress?');
  if (month === 1) {
    await developer.ask('deploy shop 1.0.0 to production');
    for (const person of [ops, second]) {
      await person.waitFor(/Deploy shop/);
      await person.click('Approve');
    }
    await developer.waitFor(/Deployed shop 1\.0\.0 to production/);
    expect((await post(program, event, { key: eventKey })).status).toBe(200);
  }
  for (const person of [developer, ops]) await person.ask('/new');
  const isQuiet = `select 1 from inbox where outcome is null union all select 1 from outbox where status in ('pending', 'sending')
    union all select 1 from audit_unsealed`;
  await eventually(
    async () => (await stack.pool.query(isQuiet)).rowCount,
    (open) => open === 0,
    60_000,
  );
}

/** Takes every time in the database a month back, except for the audit's: what was recorded stays as it is. */
async function makeOlder(): Promise<void> {
  const { rows } = await stack.pool.query<{ statement: string }>(`
    select format('update %I.%I set %s', table_schema, table_name,
                  string_agg(format('%1$I = %1$I - %2$s', column_name, case data_type when 'date' then '30' else 'interval ''30 days''' end), ', ')) as statement
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema in ('public', 'langgraph') and table_type = 'BASE TABLE' and data_type in ('timestamp with time zone', 'date')
       and table_name not like 'audit%' and table_name not in ('users', 'settings', 'lanes', 'kysely_migration') and is_generated = 'NEVER'
     group by table_schema, table_name`);
  for (const { statement } of rows) await stack.pool.query(statement);
}

async function measureRows(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await stack.pool.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'langgraph')`);
  const sizes: Record<string, number> = {};
  for (const { name } of rows) {
    const { rows: sums } = await stack.pool.query<{ bytes: string | null }>(
      `select sum(pg_column_size(x)) as bytes from ${name} x`,
    );
    sizes[name] = Number(sums[0]?.bytes ?? 0);
  }
  return sizes;
}

async function readFirst(): Promise<typeof first> {
  const { rows } = await stack.pool.query<typeof first>(`
    select t.turn_id as "turnId", t.thread_id as "threadId", a.approval_id as "approvalId", o.id::text as "cardId",
           i.update_id as "updateId", i.bot
      from approvals a join outbox o on o.slot = a.approval_id and o.chat_key = 'telegram:1003'
           join turns t on t.thread_id = a.thread_id join inbox i on i.turn_id = t.turn_id and i.kind = 'message'
     where a.status = 'consumed' and a.user_key = '1002' order by t.started_at, o.id limit 1`);
  if (!rows[0]) throw new Error('the first month left nothing');
  return rows[0];
}

const command = () =>
  openTerminal({ DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl, ...stack.wiring.audit, MODEL: 'offline' });

/** What stays for ever: the audit, the keys of updates, sent messages, actions and requests, what exists, and small settings. */
const GROWS =
  /^public\.(audit_|inbox|outbox|actions|action_effects|approval|deployments|deployment_events|ingress_events|size_samples|policy_sets)/;

it('the size of everything but the audit and the compact keys is flat after the first months', () => {
  const [settled = {}, last = {}] = [months[5], months.at(-1)];
  const grown = Object.entries(last).filter(
    ([table, bytes]) => !GROWS.test(table) && bytes > 1.15 * (settled[table] ?? 0) + 2_000,
  );
  expect(grown).toEqual([]);
  // What a month leaves at first, and what stays of it.
  const sum = (sizes: Readonly<Record<string, number>>, counts: (table: string) => boolean): number =>
    Object.entries(sizes).reduce((total, [table, bytes]) => total + (counts(table) ? bytes : 0), 0);
  const isCounted = (table: string): boolean => !table.includes('audit') && !table.includes('size_samples');
  const atFirst = sum(months[0] ?? {}, isCounted) - sum(unlived, isCounted);
  const isKey = (table: string): boolean => isCounted(table) && GROWS.test(table);
  const stays = (sum(last, isKey) - sum(settled, isKey)) / (MONTHS - 6);
  expect(stays).toBeLessThan(atFirst / 5);
});

it('what people wrote a year ago is gone, and what they wrote last month is there', async () => {
  const texts = async (condition: string): Promise<number> =>
    (await stack.pool.query(`select 1 from inbox where ${condition} and envelope ->> 'text' like '%shop%'`)).rowCount ??
    0;
  expect(await texts(`received_at < now() - interval '91 days'`)).toBe(0);
  expect(await texts(`received_at > now() - interval '40 days'`)).toBeGreaterThan(0);
});

it('no old update, press, event or number of a conversation acts a second time', async () => {
  const before = target.effects.length;
  const { updateId, threadId, approvalId, bot } = first;
  const update = {
    channel: 'telegram',
    userKey: '1002',
    chatKey: 'telegram:1002',
    kind: 'message',
    name: 'P1002',
    traceId: 'trc_again',
    verdict: 'message' as const,
    reason: null,
    press: null,
    edit: null,
    rest: false,
    holdMs: 0,
    reply: null,
    stranger: null,
    strangerEveryMs: 0,
  };
  const again = { ...update, bot, updateId, envelope: { kind: 'message', text: 'deploy shop 1.0.0 to production' } };
  expect(await admitUpdates(gateway, [again])).toMatchObject([{ verdict: 'duplicate' }]);

  const person = { ...update, bot, updateId: 'press-again', userKey: '1003', chatKey: 'telegram:1003' };
  const press = {
    ...person,
    verdict: 'press' as const,
    press: { outboxId: first.cardId, index: 0 },
    envelope: { kind: 'message' },
  };
  expect(await admitUpdates(gateway, [press])).toMatchObject([{ verdict: 'refused', reason: 'button expired' }]);
  const decided = await stack.pool.query('select status, hash from approvals where approval_id = $1', [approvalId]);
  expect(decided.rows).toEqual([{ status: 'consumed', hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string }]);

  const yearAgo = String(Number(nowSeconds()) - 360 * 86_400);
  const headers = headersOf(program, JSON.stringify(event), yearAgo);
  expect((await post(program, event, { key: eventKey, headers })).status).toBe(401);

  expect((await developer.ask('what is the status of shop?')).join('\n')).toMatch(/shop/);
  const { rows } = await stack.pool.query<{ thread_id: string; n: number; last: number }>(
    `select thread_id, n, (select last_n from thread_sequences where user_key = '1002') as last from threads where user_key = '1002' order by n desc limit 1`,
  );
  expect(rows[0]?.n).toBe(rows[0]?.last);
  expect(rows[0]?.n).toBeGreaterThan(MONTHS);
  expect(rows[0]?.thread_id).not.toBe(threadId);
  expect(target.effects).toHaveLength(before);
});

it('what is kept replays, what was deleted says so in one line, and the audit verifies as a whole', async () => {
  await checkReplay(stack.pool, [deployGroup(target)]);
  const kept = await stack.pool.query(`select 1 from turns join execution_turns using (turn_id)`);
  expect(kept.rowCount).toBeGreaterThan(5);
  for (const id of [first.turnId, first.threadId]) {
    const gone = await command()('replay', id);
    expect(gone).toMatchObject({ code: 0, error: '' });
    expect(gone.out.trim().split('\n')).toEqual([
      expect.stringMatching(/deleted by retention, .*audit show --thread user_1002_/),
    ]);
  }
  expect(await command()('replay', 'user_1002_999')).toMatchObject({ code: 1 });
  expect(await command()('audit', 'verify')).toMatchObject({ code: 0 });
});

it('status names the largest tables, their growth, and what is kept for ever', async () => {
  const { out } = await command()('status');
  expect(out).toMatch(/the whole database +[\d.]+ MB +[+-]/);
  expect(out).toMatch(/audit_events +.*for ever/);
});

it('a login of the job service deletes nothing that is younger than a week, and nothing of the audit', async () => {
  for (const days of [0, 6, -1])
    await expect(maintenance.query('select retain($1, $2, 10)', ['conversations', days])).rejects.toMatchObject({
      code: '42501',
    });
  await expect(maintenance.query(`delete from inbox`)).rejects.toMatchObject({ code: '42501' });
  await expect(maintenance.query(`delete from audit_events`)).rejects.toMatchObject({ code: '42501' });
  await expect(gateway.query(`select retain('conversations', 90, 10)`)).rejects.toMatchObject({ code: '42501' });
});
