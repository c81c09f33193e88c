import { afterEach, beforeEach, expect, it } from 'vitest';
import { echo } from '../support/echo.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.close());

it.each([1, 3])('no message in a busy lane waits for the sweeper, with %i workers', async (workers) => {
  for (let i = 0; i < workers; i++) await bench.startWorker({ script: echo(), env: { WORKER_NAME: `w${i}` } });
  await bench.addPerson('69');
  for (let n = 1; n <= 150; n++) {
    await bench.say('69', `m${n}`);
    // Just long enough that messages often arrive while the turn before them ends.
    if (n % 3 === 0) await bench.settle();
  }
  await bench.settle();
  const { rows } = await bench.pool.query<{ slowest: number }>(
    `select max(extract(epoch from settled_at - received_at))::float as slowest from inbox where user_key = '69'`,
  );
  expect(rows[0]?.slowest).toBeLessThan(4.5); // the sweeper looks after 5 s
  expect((await bench.replies('69')).length).toBe(150);
});
