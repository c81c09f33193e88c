import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('7');
});
afterAll(() => bench.close());

it('a person whose agent is no longer loaded is informed once, and answered by the default agent', async () => {
  const before = await bench.startWorker({ env: { AGENT_DEFAULT: 'mortgage', MODEL: 'offline' } });
  await bench.ask('7', 'hello');
  await before.close();
  await bench.startWorker({ env: { AGENTS: 'none' } });
  const said = await bench.ask('7', 'hello');
  expect(said[0]).toContain('mortgage is no longer part of this installation');
  expect(said.at(-1)).toBe('hello');
  expect((await bench.ask('7', 'again')).join()).not.toContain('no longer part');
  const { rows } = await bench.pool.query('select agent, status from threads order by created_at');
  expect(rows).toEqual([
    { agent: 'mortgage', status: 'expired' },
    { agent: 'product_owner', status: 'open' },
  ]);
});
