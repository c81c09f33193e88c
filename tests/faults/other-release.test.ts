import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../support/person.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';

// The services of one release beside a database that a newer one has migrated.
let stack: Stack;
let worker: ServiceProcess;
let ada: Person;

beforeAll(async () => {
  stack = await openStack({ workers: 0, jobs: true });
  worker = await startService('worker', 'other-release', stack.wiring.env('worker', { WORKER_NAME: 'worker-1' }));
  ada = await stack.person(82_001, 'admin');
  await ada.ask('hello');
}, 180_000);
afterAll(async () => {
  await worker.stop();
  await stack.close();
});

const deadLetters = async (): Promise<number> => (await stack.pool.query(`select 1 from dead_letters`)).rowCount ?? 0;

it.each([
  ['end a turn', 'function lane_finish(text, bigint, jsonb, jsonb, jsonb, jsonb)', 'function newer_finish'],
  ['take a message', 'function inbox_admit(jsonb)', 'function newer_admit'],
  ['read a table', 'table execution_turns', 'table newer_turns'],
])(
  'a message waits while the database is of a release in which services cannot %s, and is answered afterwards',
  async (_what, old, renamed) => {
    const [kind = '', name = ''] = [old.split(' ')[0], renamed.split(' ')[1]];
    const before = (await ada.heard()).length;
    await stack.pool.query(`alter ${old} rename to ${name}`);
    await ada.send('create a project called shop for tea');
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect((await ada.heard()).length).toBe(before);
    expect((await stack.pool.query('select 1 from lanes where attempts > 1')).rowCount).toBe(0);
    const now = kind === 'function' ? `function ${name}${old.slice(old.indexOf('('))}` : renamed;
    await stack.pool.query(`alter ${now} rename to ${/\w+ (\w+)/.exec(old)?.[1]}`);
    await eventually(
      () => ada.heard(),
      (heard) => heard.length > before,
      60_000,
    );
    expect(await deadLetters()).toBe(0);
  },
);

it('a running service reports on /readyz that the database is newer, and a starting service waits', async () => {
  await stack.pool.query(`insert into kysely_migration (name, timestamp) values ('99_newer', 'now')`);
  expect(await worker.ready()).toMatch(/^503 This database is of a newer release \(99_newer .* \(DATABASE_NEWER\)/);
  await worker.stop();
  const started = worker.start();
  await until(async () => (await worker.ready()).includes('(DATABASE_NEWER)'), 60_000);
  await stack.pool.query(`delete from kysely_migration where name = '99_newer'`);
  await started;
  expect(await ada.ask('hello again')).toHaveLength(1);
});
