import { HOUR_MS } from '@signalbox/contracts/time';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withClock } from '../support/moved-clock.ts';
import type { Person } from '../support/person.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { openStack, type Stack } from '../support/stack.ts';

// Two workers on machines whose clocks differ by an hour, while everything else has the right time.
let stack: Stack;
const workers: ServiceProcess[] = [];

beforeAll(async () => {
  stack = await openStack({ workers: 0, jobs: true });
  for (const [name, offMs] of [
    ['ahead', HOUR_MS / 2],
    ['behind', -HOUR_MS / 2],
  ] as const) {
    const env = { ...stack.wiring.env('worker', { WORKER_NAME: name }), NODE_OPTIONS: withClock(offMs) };
    workers.push(await startService('worker', `clock-${name}`, env));
  }
}, 180_000);

afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await stack.close();
});

it('two workers whose clocks differ by an hour answer everybody and report every change', async () => {
  const people: Person[] = [];
  for (let id = 81_001; id <= 81_008; id++) people.push(await stack.person(id, 'developer'));
  await Promise.all(
    people.map(async (person) => {
      for (let turn = 1; turn <= 4; turn++) {
        const name = `shop${person.id}x${turn}`;
        const told = await person.ask(`create a project called ${name} for tea`);
        expect(told).toEqual([expect.stringContaining(name)]);
      }
    }),
  );
  const { rows } = await stack.pool.query<{ served: string[] }>(
    `select array_agg(distinct worker order by worker) as served from turns group by thread_id`,
  );
  expect(rows.map(({ served }) => served)).toContainEqual(['ahead', 'behind']);
});
