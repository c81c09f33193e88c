import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echo } from '../../support/echo.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.close());

/** What the sweeper would find: nobody here waits that long. */
const BOUND_S = 4.5;
const WRITING_MS = 6_000;

it('a person who writes without a pause is answered all the while, and others do not wait for them', async () => {
  const others = ['71', '72', '73'];
  for (const user of ['70', ...others]) await bench.addPerson(user);
  // Two slots: one person who kept theirs would be felt by the others.
  await bench.startWorker({ script: echo(() => 20), env: { WORKER_SLOTS: '2' } });
  const end = Date.now() + WRITING_MS;
  let written = 0;
  const writes = (async () => {
    for (; Date.now() < end; written++) {
      await bench.say('70', `m${written}`);
      await delay(40);
    }
  })();
  for (let n = 0; Date.now() < end; n++) {
    for (const user of others) await bench.say(user, `m${n}`);
    await delay(1_000);
  }
  await writes;
  await bench.settle();
  const { rows } = await bench.pool.query<{ user_key: string; slowest: number; turns: number }>(
    `select user_key, max(extract(epoch from settled_at - received_at))::float as slowest, count(distinct turn_id)::int as turns
       from inbox group by 1 order by 1`,
  );
  for (const { slowest } of rows) expect(slowest).toBeLessThan(BOUND_S);
  // What came while a turn ran was taken together, a bounded part at a time.
  const turns = rows.find((row) => row.user_key === '70')?.turns ?? 0;
  expect(turns).toBeLessThan(written);
  expect(turns).toBeGreaterThanOrEqual(written / 10);
  expect(await bench.replies('70')).toEqual(Array.from({ length: written }, (_, n) => `echo m${n}`));
  const { rows: gaps } = await bench.pool.query<{ longest: number }>(
    `select max(gap)::float as longest from (
       select extract(epoch from created_at - lag(created_at) over (order by id)) as gap from outbox where user_key = '70') g`,
  );
  expect(gaps[0]?.longest).toBeLessThan(BOUND_S);
});
