import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { eventually } from '../support/until.ts';

// What the newcomer's first minutes go on with, too slow for every run: each step stands on those before.

let demo: DemoStack;
beforeAll(async () => {
  demo = await openDemoStack();
  // Who has never written to the bot cannot be asked for an approval.
  await demo.people.cleo.ask('hello');
  await demo.people.dara.ask('hello');
  await demo.tell(demo.people.ben, 'register the demo project', /registered the project demo/);
  await demo.tell(demo.people.ben, 'deploy demo 1.0 to staging', /✅ Deployed/);
}, 120_000);
afterAll(() => demo.close(), 60_000);

const FIRST = '1.0-9d40008';
const SECOND = '1.1-eb4634f';
const COMMIT = 'commit-9d40008';

const ask = (text: string, pattern: RegExp): Promise<string> => demo.tell(demo.people.ben, text, pattern);
const builds = async (): Promise<number> =>
  (await demo.processes()).filter(({ command }) => command === 'node build.mjs').length;
const lines = async (ref: string): Promise<readonly string[]> =>
  (
    await demo.stack.pool.query<{ line: string }>(
      `select l.line from deployment_lines l join deployments d using (deployment_id) where d.ref = $1 order by l.n`,
      [ref],
    )
  ).rows.map(({ line }) => line);
const openCards = async (): Promise<number> =>
  Number((await demo.stack.pool.query(`select 1 from approvals where status = 'pending'`)).rowCount);

it('cancelling a running build ends its processes, and the serving release stays', async () => {
  await ask('deploy demo 1.1 to staging', /Deploying .*demo/);
  await eventually(builds, (count) => count > 0, 60_000);
  await eventually(
    () => lines('1.1'),
    (written) => written.some((line) => line.includes('page 2 of')),
    60_000,
  );
  const said = await demo.tell(demo.people.ben, 'cancel the deploy', /Cancelled: /);
  expect(said).toContain('demo 1.1 will not be deployed to staging');
  expect(said).toContain(`${FIRST} keeps serving`);
  expect(await builds()).toBe(0);
  expect(await demo.states('1.1')).toEqual(expect.arrayContaining(['building', 'cancelling', 'cancelled']));
  expect((await demo.visit('staging')).release).toBe(FIRST);
});

it('a release with a long build goes live, and is rolled back', async () => {
  await ask('deploy demo 1.1 to staging', /✅ Deployed/);
  expect((await demo.visit('staging')).release).toBe(SECOND);
  expect(await ask('roll back demo in staging', /✅ Rolled back/)).toContain(FIRST);
  expect((await demo.visit('staging')).release).toBe(FIRST);
  const { rows } = await demo.stack.pool.query(
    `select kind, state, from_artifact is not null as kept from deployments order by requested_at desc limit 1`,
  );
  expect(rows).toEqual([{ kind: 'rollback', state: 'succeeded', kept: true }]);
});

it('a deployment to production waits for two operators, whose cards show the change', async () => {
  const { ben, cleo, dara } = demo.people;
  await ask('deploy demo 1.0 to production', /needs approval/);
  const card = await cleo.waitFor(/Deploy demo 1\.0 to production/);
  expect(card).toContain('nothing serves there yet → 1.0');
  await cleo.click('Approve');
  await cleo.waitFor(/1 of 2/);
  expect((await demo.stack.pool.query(`select 1 from deployments where environment = 'production'`)).rowCount).toBe(0);
  await dara.click('Approve');
  await eventually(
    async () => (await ben.heard()).map(({ text }) => text).join('\n'),
    (heard) => /✅ Deployed demo in production/.test(heard),
    60_000,
  );
  expect((await demo.visit('production')).release).toBe(FIRST);
});

it('an operator rolls production back with the approval of one other operator', async () => {
  const { ben, cleo, dara } = demo.people;
  // The same commit under its own name is another release, and needs no build.
  await ask('deploy version 9d40008 of demo to production', /needs approval/);
  await cleo.waitFor(/Deploy demo 9d40008 to production/);
  await cleo.click('Approve');
  await eventually(async () => (await dara.heard()).some(({ text }) => /1 of 2/.test(text)), Boolean, 30_000);
  await dara.click('Approve');
  await eventually(
    async () => (await ben.heard()).some(({ text }) => text.includes(`Deployed demo in production: ${COMMIT}`)),
    Boolean,
    90_000,
  );
  await demo.tell(cleo, 'roll back demo in production', /needs approval/);
  const card = await dara.waitFor(/Roll demo in production back to 1\.0/);
  expect(card).toContain(`${COMMIT} → ${FIRST}`);
  await dara.click('Approve');
  await eventually(
    async () => (await cleo.heard()).some(({ text }) => /✅ Rolled back demo in production/.test(text)),
    Boolean,
    60_000,
  );
  expect((await demo.visit('production')).release).toBe(FIRST);
  expect(await openCards()).toBe(0);
});

it('an approval card is void when its action would no longer do what the card shows', async () => {
  const { cleo } = demo.people;
  await demo.tell(cleo, 'roll back demo in production', /needs approval/);
  await demo.people.dara.waitFor(/Roll demo in production back to 9d40008/);
  // Somebody else's deployment comes first.
  await demo.stack.pool.query(
    `update services set serving = (select deployment_id from deployments where ref = '9d40008' and environment = 'production')
      where environment = 'production'`,
  );
  await demo.people.dara.click('Approve');
  await eventually(
    async () => (await cleo.heard()).some(({ text }) => /no longer do what was shown|no longer valid/.test(text)),
    Boolean,
    30_000,
  );
  expect(await openCards()).toBe(0);
});
