import { OPERATING_FIGURES } from '@signalbox/jobs/figures';
import { DATABASE_SERVICES } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSeries, scrape } from '../../support/scrape.ts';
import { serviceUrl } from '../../support/service-login.ts';
import { openTerminal } from '../cli/terminal.ts';
import { openJobsBench, type JobsBench } from '../jobs/bench.ts';

let bench: JobsBench;
beforeEach(async () => {
  bench = await openJobsBench();
});
afterEach(() => bench.close());

/** What one installation holds, among it a word that nobody may read in a metric. */
const fill = (): Promise<unknown> =>
  bench.pool.query(`
    insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, received_at)
    values ('telegram', 'bot', '1', '1001', 'telegram:1001', 'message', '{"text": "hush"}', 'trace_1', now() - interval '15 minutes'),
           ('telegram', 'bot', '2', '1001', 'telegram:1001', 'message', '{"text": "hush"}', 'trace_2', now());
    insert into outbox (key, chat_key, trace_id, priority, body, created_at)
    values ('k', 'telegram:1001', 'trace_1', 0, '{"text": "hush"}', now() - interval '3 minutes');
    insert into dead_letters (id, source, ref, user_key, reason, body)
    values ('dlq_1', 'inbound', '7', '1001', 'hush', '{}'), ('dlq_2', 'inbound', '8', '1001', 'hush', '{}');
    insert into dead_letters (id, source, ref, user_key, reason, body, resolved_at) values ('dlq_3', 'job', '9', '1001', 'hush', '{}', now());
    insert into lanes (user_key, worker, lease_until) values ('1001', 'worker-1', now() + interval '1 hour'),
           ('1002', 'worker-1', now() - interval '1 hour'), ('1003', null, null);
    insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
    values ('act_1', 'turn_1', 'thr_1', '1002', 'run_command', '{}', 1, 'waiting');
    insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
                           authors, card, expires_at, requested_at)
    values ('apv_1', 'act_1', '1002', 'telegram:1002', 'thr_1', 'turn_1', 'trace_1', '', '', '', 1, 'operator', false, '{}', '{"what": "hush"}',
            now() + interval '1 hour', now() - interval '20 minutes');
    insert into incidents (subject, kind, detail) values ('shop/prod', 'down', 'hush')`);

it('the pool maintenance counts what the whole installation holds, with its own login', async () => {
  await fill();
  const { probePort } = await bench.startService({ JOBS_POOLS: 'maintenance' });
  const text = await scrape(probePort);
  const value = (name: string, labels?: Readonly<Record<string, string>>) =>
    readSeries(text, `signalbox_${name}`, labels);
  expect(value('scrape_ok', { source: 'database' })).toBe(1);
  expect(value('inbox_waiting_messages')).toBe(2);
  expect(value('inbox_oldest_seconds')).toBeGreaterThan(890);
  expect(value('outbox_waiting_replies')).toBe(1);
  expect(value('outbox_oldest_seconds')).toBeGreaterThan(170);
  expect(value('dead_letters_open', { source: 'inbound' })).toBe(2);
  expect(value('dead_letters_open', { source: 'job' })).toBe(0);
  expect(value('lanes_held', { worker: 'worker-1' })).toBe(1);
  expect(value('lanes_expired', { worker: 'worker-1' })).toBe(1);
  expect(value('approvals_waiting', { kind: 'approval' })).toBe(1);
  expect(value('approvals_oldest_seconds', { kind: 'approval' })).toBeGreaterThan(1_190);
  expect(value('approvals_waiting', { kind: 'confirmation' })).toBe(0);
  expect(value('incidents_open', { about: 'services' })).toBe(1);
  expect(value('table_bytes', { table: 'inbox' })).toBeGreaterThan(0);
  expect(value('queue_jobs', { pool: 'maintenance', state: 'failed' })).toBe(0);
  expect(value('disk_free_bytes', { place: 'audit' })).toBeGreaterThan(0);
  expect(value('ready')).toBe(1);
  expect(text).not.toMatch(/hush|1001|1002/);

  const status = JSON.parse((await openTerminal({ DATABASE_URL: bench.databaseUrl })('status', '--json')).out) as {
    readonly data?: unknown;
  };
  expect(status).toMatchObject({ messagesOpen: 2, outboxPending: 1, deadLetters: 2 });
});

it('figures of what has not happened yet are 0 and not absent', async () => {
  const { probePort } = await bench.startService({ JOBS_POOLS: 'maintenance' });
  const text = await scrape(probePort);
  const byWorker = ['lanes_held', 'lanes_expired']; // a worker without a lane has none
  for (const name of Object.keys(OPERATING_FIGURES).filter((one) => !byWorker.includes(one)))
    expect(text).toMatch(new RegExp(`^signalbox_${name}\\{.*\\} \\d`, 'm'));
  for (const outcome of ['succeeded', 'failed', 'rolled_back', 'cancelled'])
    expect(readSeries(text, 'signalbox_deployments_total', { outcome })).toBe(0);
  expect(readSeries(text, 'signalbox_jobs_total', { job: 'knowledge.index', outcome: 'deadline' })).toBe(0);
});

it('each figure of the database has a description, and its labels are the described ones', async () => {
  await fill();
  const { rows } = await bench.pool.query<{ name: string; labels: string[] }>(
    `select distinct name, array(select jsonb_object_keys(labels)) as labels from operating_figures()`,
  );
  const described = Object.entries(OPERATING_FIGURES).map(([name, { labels }]) => ({ name, labels: [...labels] }));
  const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);
  expect(rows.sort(byName)).toEqual(described.sort(byName));
});

it('a locked table does not hang the scrape: the figures are absent until it is free', async () => {
  const { probePort } = await bench.startService({ JOBS_POOLS: 'maintenance' });
  const holder = await bench.pool.connect();
  try {
    await holder.query('begin; lock table dead_letters in access exclusive mode');
    const startedAt = performance.now();
    const text = await scrape(probePort);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(readSeries(text, 'signalbox_scrape_ok', { source: 'database' })).toBe(0);
    expect(readSeries(text, 'signalbox_inbox_oldest_seconds')).toBeNull();
    expect(readSeries(text, 'signalbox_ready')).toBe(1);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

it('no login but that of maintenance may read the figures of the whole installation', async () => {
  const allowed: string[] = [];
  for (const service of DATABASE_SERVICES) {
    const client = new pg.Client({ connectionString: serviceUrl(bench.databaseUrl, service) });
    await client.connect();
    const isAllowed = await client.query('select * from operating_figures()').then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === '42501') return false;
        throw error;
      },
    );
    if (isAllowed) allowed.push(service);
    await client.end();
  }
  expect(allowed).toEqual(['maintenance']);
});
