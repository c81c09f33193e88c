import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSeries, scrape } from '../../support/scrape.ts';
import { openStack, type Stack } from '../../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({
    jobs: true,
    proxy: true,
    env: { BUDGET_TOKENS_PER_DAY: '1000', BUDGET_CALLS_PER_HOUR: '4' },
  });
});
afterAll(() => stack.close());

const scrapeOf = (service: string): Promise<string> => scrape(stack.probePorts.get(service) ?? 0);

it('each service exports what it reads at a scrape, with its own login', async () => {
  const [gateway, worker, agents, deploy] = await Promise.all(
    ['gateway', 'worker-1', 'jobs-agents', 'jobs-deploy'].map(scrapeOf),
  );
  expect(readSeries(gateway ?? '', 'signalbox_stream_lag', { stream: 'out:telegram' })).toBe(0);
  expect(readSeries(gateway ?? '', 'signalbox_leader', { role: 'listener:telegram' })).toBe(1);
  expect(readSeries(gateway ?? '', 'signalbox_sends_total', { result: 'undeliverable' })).toBe(0);
  expect(readSeries(worker ?? '', 'signalbox_stream_pending', { stream: 'in' })).toBe(0);
  expect(readSeries(worker ?? '', 'signalbox_turns_total', { result: 'lost-again' })).toBe(0);
  expect(readSeries(worker ?? '', 'signalbox_budget_used_ratio', { budget: 'tokens-per-day' })).toBe(0);
  expect(readSeries(worker ?? '', 'signalbox_budget_used_ratio', { budget: 'usd-per-day' })).toBeNull();
  expect(readSeries(agents ?? '', 'signalbox_disk_free_bytes', { place: 'workspaces' })).toBeGreaterThan(0);
  expect(readSeries(deploy ?? '', 'signalbox_queue_jobs', { pool: 'deploy', state: 'waiting' })).toBe(0);
  for (const service of stack.probePorts.keys()) {
    const text = await scrapeOf(service);
    expect(text).not.toMatch(/^signalbox_scrape_ok\{.*\} 0$/m);
    expect(readSeries(text, 'signalbox_ready')).toBe(1);
  }
});

it('one of several job services seals, and says so', async () => {
  await expect
    .poll(async () => readSeries(await scrapeOf('jobs-maintenance'), 'signalbox_leader', { role: 'audit-sealer' }), {
      timeout: 10_000,
    })
    .toBe(1);
});

it('the largest share of a budget that one person has used is exported without naming the person', async () => {
  await stack.pool.query(`
    insert into users (user_key, channel, person, role, name) values ('1001', 'telegram', '1001', 'operator', 'Mara') on conflict do nothing;
    insert into turns (turn_id, thread_id, user_key, epoch, worker, trace_id, model, outcome, passes, tool_calls, usage, started_at)
    values ('turn_b', 'thr_b', '1001', 1, 'w', 'trace_b', 'm', 'answered', 1, 0, '{"inputTokens": 600, "outputTokens": 150}', now())`);
  await expect
    .poll(
      async () => readSeries(await scrapeOf('worker-1'), 'signalbox_budget_used_ratio', { budget: 'tokens-per-day' }),
      { timeout: 20_000, interval: 1_000 },
    )
    .toBe(0.75);
  await stack.pool.query(`delete from turns where turn_id = 'turn_b'`);
});
