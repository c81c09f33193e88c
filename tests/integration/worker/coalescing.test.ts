import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echo } from '../../support/echo.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.close());

/** What the sweeper would find: nobody waits that long on a machine that answers at once, and on a slow one in proportion. */
const BOUND_S = 4.5;
const QUIET_ANSWERS = 15;
const WRITING_MS = 6_000;
/** More than a turn takes: the next one always has its full part. */
const ALWAYS_WAITING = 15;

const slowest = `max(extract(epoch from settled_at - received_at))::float as slowest`;

it('a person who sends messages without a pause is answered in between, and delays nobody else', async () => {
  const others = ['71', '72', '73'];
  for (const user of ['70', ...others]) await bench.addPerson(user);
  await bench.startWorker({ script: echo(() => 20) });
  for (const user of [...others, ...others]) {
    await bench.say(user, 'quiet');
    await bench.settle();
  }
  const { rows: quiet } = await bench.pool.query<{ slowest: number }>(`select ${slowest} from inbox`);
  const bound = Math.max(BOUND_S, QUIET_ANSWERS * (quiet[0]?.slowest ?? 0));

  const end = Date.now() + WRITING_MS;
  let written = 0;
  const writes = (async () => {
    while (Date.now() < end) {
      const { rowCount } = await bench.pool.query(`select 1 from inbox where user_key = '70' and outcome is null`);
      for (let open = rowCount ?? 0; open < ALWAYS_WAITING; open++) await bench.say('70', `m${written++}`);
      await delay(20);
    }
  })();
  for (let n = 0; Date.now() < end; n++) {
    for (const user of others) await bench.say(user, `m${n}`);
    await delay(1_000);
  }
  await writes;
  await bench.settle();
  const { rows } = await bench.pool.query<{ user_key: string; slowest: number; turns: number }>(
    `select user_key, ${slowest}, count(distinct turn_id)::int as turns from inbox group by 1 order by 1`,
  );
  for (const one of rows) expect(one.slowest).toBeLessThan(bound);
  // What came while a turn ran was taken together, a bounded part at a time.
  const turns = rows.find((row) => row.user_key === '70')?.turns ?? 0;
  expect(turns).toBeLessThan(written);
  expect(turns).toBeGreaterThanOrEqual(written / 10);
  expect(await bench.replies('70')).toEqual(Array.from({ length: written }, (_, n) => `echo m${n}`));
}, 120_000);
