import { hostname, userInfo } from 'node:os';
import { RunStore } from '@signalbox/store/turns/runs';
import { redeemCode } from '@signalbox/gateway/commands/invitations';
import { withTransaction } from '@signalbox/store/pool';
import { createSimulator, DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { afterEach, beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import type pg from 'pg';
import { openDeployBench } from '../jobs/deploy-bench.ts';
import { openRawPool } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';
import { openTerminal, type Written } from './terminal.ts';

// What the command line changes is in the audit with who did it: the person at the terminal, as the operating system knows them.
const ME = `cli:${userInfo().username}@${hostname()}`;

let bench: WorkerBench;
let signalbox: (...words: readonly string[]) => Promise<Written>;
beforeEach(async () => {
  bench = await openWorkerBench();
  signalbox = openTerminal({
    DATABASE_URL: bench.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: bench.prefix,
  });
});
afterEach(() => bench.close());

const audit = async (pool: Pick<pg.Pool, 'query'> = bench.pool): Promise<readonly unknown[]> =>
  (await pool.query<object>('select kind, actor, data from audit_events order by event_id')).rows;
const changed = (person: string, from: string | null, to: string | null, more: object = {}) => ({
  kind: 'role.changed',
  actor: ME,
  data: { person, from, to, ...more },
});

it('each person who is let in, given a role or removed is audited once, and an unchanged role is not audited', async () => {
  await signalbox('people', 'add', '1001', 'Ada', 'admin');
  await signalbox('people', 'add', '1001', 'Ada', 'admin');
  await signalbox('people', 'remove', '1001');
  await signalbox('people', 'add', '1002', 'Ben', 'developer');
  await signalbox('people', 'add', '1002', 'Ben', 'operator');
  await signalbox('people', 'remove', '1002');
  await signalbox('people', 'remove', '1002');
  await signalbox('people', 'list');
  expect(await audit()).toEqual([
    changed('1001', null, 'admin'),
    changed('1002', null, 'developer'),
    changed('1002', 'developer', 'operator'),
    changed('1002', 'operator', null, { factsForgotten: 0 }),
  ]);
  expect((await signalbox('audit', 'show')).out).toContain(ME);
});

it('an owner code is audited without the code, and so is who became the owner with it', async () => {
  const { code } = (await signalbox('owner-code', '--json')).json as { code: string };
  const person = { userKey: '1001', channel: 'telegram', name: 'Ada' };
  await withTransaction(bench.pool, (db) => redeemCode(db, code, person));
  await signalbox('owner-code');
  const events = await audit();
  expect(events).toEqual([
    { kind: 'owner_code.made', actor: ME, data: {} },
    { kind: 'role.changed', actor: '1001', data: { person: '1001', from: null, to: 'admin', by: 'owner code' } },
  ]);
  expect(JSON.stringify(events)).not.toContain(code);
});

it('cancelling a run from a terminal is audited with the user, and a finished run stays unchanged', async () => {
  const intent = { runId: 'act_1', job: 'deploy.run', payload: {}, person: null, threadId: null, traceId: 'trc' };
  await new RunStore(bench.pool).create(intent);
  expect((await signalbox('runs', 'cancel', 'act_1')).code).toBe(0);
  expect((await signalbox('runs', 'cancel', 'act_1')).code).toBe(0);
  expect((await signalbox('runs', 'cancel', 'none')).code).toBe(1);
  const data = { run: 'act_1', job: 'deploy.run', status: 'cancelled' };
  expect(await audit()).toEqual([{ kind: 'run.cancel_requested', actor: ME, data }]);
  expect((await signalbox('runs', 'show', 'act_1')).out).toContain(`by ${ME}`);
});

it('retrying or resolving a dead letter is audited once', async () => {
  await bench.addPerson('7', 'developer');
  const message = await bench.say('7', 'one', { silent: true });
  await bench.pool.query(`update inbox set outcome = 'dead-lettered' where id = $1`, [message]);
  await bench.pool.query(
    `insert into dead_letters (id, source, ref, user_key, reason, body)
     values ('dlq_a', 'inbound', $1, '7', 'broken', '{}'), ('dlq_b', 'stream', 'x', null, 'broken', '{}')`,
    [String(message)],
  );
  await signalbox('dlq', 'retry', 'dlq_b');
  for (const words of [['dlq', 'retry', 'dlq_a'] as const, ['dlq', 'resolve', 'dlq_b'] as const]) {
    expect((await signalbox(...words)).code).toBe(0);
    await signalbox(...words);
  }
  expect(await audit()).toEqual([
    { kind: 'dead_letter.settled', actor: ME, data: { id: 'dlq_a', how: 'retried' } },
    { kind: 'dead_letter.settled', actor: ME, data: { id: 'dlq_b', how: 'resolved' } },
  ]);
});

it('a webhook is removed only when the removal can be audited', async () => {
  const simulator = await createSimulator();
  onTestFinished(() => simulator.close());
  const host = `127.0.0.1:${await freePort()}`;
  const url = `http://${host}/secret`;
  const bot = { TELEGRAM_BOT_TOKEN: DEFAULT_TOKEN, TELEGRAM_API_ROOT: simulator.url };
  const call = (method: string): Promise<Response> =>
    fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/${method}`, { method: 'POST' });
  await call(`setWebhook?url=${encodeURIComponent(url)}`);
  const without = await openTerminal({ ...bot, DATABASE_URL: 'postgres://u@127.0.0.1:9/x' })('webhook', 'remove');
  expect(without).toMatchObject({ code: 1, error: expect.stringContaining('ECONNREFUSED') as string });
  expect(await (await call('getWebhookInfo')).text()).toContain(url);
  await openTerminal({ ...bot, DATABASE_URL: bench.databaseUrl })('webhook', 'remove');
  expect(await (await call('getWebhookInfo')).text()).not.toContain(url);
  expect(await audit()).toEqual([{ kind: 'webhook.remove_requested', actor: ME, data: { host } }]);
});

it('the first migration is audited, and creates the tables of conversations with the same owner', async () => {
  const url = new URL(bench.databaseUrl);
  url.pathname = `${url.pathname}_new`;
  await bench.pool.query(`create database ${url.pathname.slice(1)}`);
  const pool = openRawPool(url.href);
  try {
    const fresh = openTerminal({ DATABASE_URL: url.href });
    await fresh('migrate');
    await fresh('migrate');
    const applied = expect.arrayContaining(['103_conversation', '113_audit']) as string[];
    expect(await audit(pool)).toEqual([{ kind: 'database.migrated', actor: ME, data: { applied } }]);
    const client = await pool.connect();
    await client.query('set role signalbox_app');
    await expect(client.query('select 1 from langgraph.checkpoints')).resolves.toMatchObject({ rowCount: 0 });
    client.release();
  } finally {
    await pool.end();
    await bench.pool.query(`drop database ${url.pathname.slice(1)} with (force)`);
  }
});

it('stopping a service from a terminal is audited with the user who stopped it', async () => {
  const deploys = await openDeployBench();
  onTestFinished(() => deploys.close());
  const { databaseUrl, prefix, pool } = deploys.jobs;
  const terminal = openTerminal({ DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl'), REDIS_PREFIX: prefix });
  const stop = ['services', 'stop', 'shop', 'staging'] as const;
  const asked = async (): Promise<unknown> =>
    (await pool.query(`select actor, data from audit_events where kind = 'service.stop_requested'`)).rows;
  await terminal(...stop);
  expect(await asked()).toEqual([]);
  await deploys.jobs.startService(deploys.settings());
  expect((await terminal(...stop)).out).toContain('I know no service named shop/staging');
  const run = expect.stringMatching(/^run_/) as string;
  expect(await asked()).toEqual([{ actor: ME, data: { run, project: 'shop', environment: 'staging' } }]);
});
