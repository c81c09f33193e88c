import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';

// The first minutes of somebody who tries Signalbox out, one step after the other: each stands on those before.

let demo: DemoStack;
beforeAll(async () => {
  demo = await openDemoStack();
}, 60_000);
afterAll(() => demo.close(), 60_000);

const ask = (text: string, pattern: RegExp): Promise<string> => demo.tell(demo.people.ben, text, pattern);
const releases = async (): Promise<readonly { ref: string; release: string | null; state: string }[]> =>
  (
    await demo.stack.pool.query<{ ref: string; release: string | null; state: string }>(
      'select ref, release, state from deployments order by requested_at',
    )
  ).rows;

it('a newcomer registers the demo project', async () => {
  expect(await ask('register the demo project', /registered the project demo/)).toContain('deploy demo 1.0 to staging');
  const { rows } = await demo.stack.pool.query('select repository from projects');
  expect(rows).toEqual([{ repository: expect.stringMatching(/^file:\/\/.*demo\.git$/) }]);
});

it('a release is deployed to staging, and answers through the proxy', async () => {
  const said = await ask('deploy demo 1.0 to staging', /✅ Deployed/);
  const [{ release, state } = { release: null, state: '' }] = await releases();
  expect(state).toBe('succeeded');
  const { rows } = await demo.stack.pool.query('select status from projects');
  expect(rows).toEqual([{ status: 'active' }]);
  expect(said).toContain(release);
  expect(await demo.visit('staging')).toEqual({
    status: 200,
    release,
    body: { greeting: 'Welcome to the tea shop', release, prices: { assam: 7.5, darjeeling: 9.8, sencha: 8.2 } },
  });
  expect(await demo.states('1.0')).toEqual(
    expect.arrayContaining([
      'queued',
      'preparing',
      'starting',
      'health_checking',
      'switching',
      'verifying',
      'succeeded',
    ]),
  );
}, 90_000);

it('an unhealthy release is refused with its log, and the previous release keeps serving', async () => {
  const [{ release } = { release: null }] = await releases();
  const said = await ask('deploy demo 1.2 to staging', /❌ demo in staging: 1\.2-\w+ failed/);
  expect(said).toContain('cannot read the prices');
  expect(said).toContain(`${release} still serves`);
  expect((await demo.visit('staging')).release).toBe(release);
  expect(await demo.states('1.2')).toEqual(expect.arrayContaining(['health_checking', 'failing', 'failed']));
  // Nothing of what failed is left.
  expect((await demo.processes()).filter(({ command }) => command === 'node server.mjs')).toHaveLength(1);
}, 90_000);

it('the bot explains what went wrong and what runs where, and shows the log of the deployment', async () => {
  expect(await ask('why did the deploy fail', /demo 1\.2 in staging: failed/)).toMatch(/last answer was 500/);
  expect(await ask('what runs on staging', /serves on local/)).toContain('1.0-9d40008');
  expect(await ask('show the deploy logs', /cannot read the prices/)).toContain('data/prices.json');
});

it('a viewer gets the same information about deployments, and cannot deploy', async () => {
  const { eli } = demo.people;
  expect(await demo.tell(eli, 'what runs on staging', /serves on local/)).toContain('1.0-9d40008');
  expect(await demo.tell(eli, 'deploy demo 1.0 to staging', /role/)).toMatch(/developer/);
  expect(await releases()).toHaveLength(2);
});
