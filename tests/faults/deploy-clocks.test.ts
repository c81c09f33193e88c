import { HOUR_MS } from '@signalbox/contracts/time';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { withClock } from '../support/moved-clock.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';

/** Longer ago than a deployment may take as a whole. */
const LONG_AGO = '1 hour';

describe.each([
  ['ahead', 2 * HOUR_MS],
  ['behind', -2 * HOUR_MS],
])('deployments on a machine whose clock is two hours %s', (name, offMs) => {
  let demo: DemoStack;
  let jobs: ServiceProcess;

  beforeAll(async () => {
    demo = await openDemoStack({}, ['maintenance', 'agents', 'analysis']);
    const env = { ...demo.stack.wiring.env('deploy'), NODE_OPTIONS: withClock(offMs) };
    jobs = await startService('jobs', `deploy-${name}`, env);
  }, 180_000);

  afterAll(async () => {
    await jobs.stop();
    await demo.close();
  }, 60_000);

  it('have the usual deadlines, and report how long they took', async () => {
    const { ben } = demo.people;
    await ben.ask('register the demo');
    const told = await demo.tell(ben, 'deploy demo 1.0 to staging', /✅ Deployed|❌|went wrong|did not/);
    expect(told).toMatch(/✅ Deployed/);
    const { rows } = await demo.stack.pool.query<{ seconds: number }>(
      `select (result ->> 'seconds')::float8 as seconds from runs where job = 'deploy.run'`,
    );
    expect(rows[0]?.seconds).toBeLessThan(600);
  });

  it('are stopped at their deadline', async () => {
    await demo.stack.pool.query(
      `create function long_ago() returns trigger language plpgsql as
         $$ begin new.started_at := clock_timestamp() - interval '${LONG_AGO}'; return new; end $$`,
    );
    await demo.stack.pool.query(
      `create trigger long_ago before update on deployments for each row when (new.state = 'preparing')
         execute function long_ago()`,
    );
    await demo.people.ben.send('deploy demo 1.1 to staging');
    await expect.poll(() => demo.states('1.1'), { timeout: 60_000 }).toContain('failed');
    const { rows } = await demo.stack.pool.query<{ code: string }>(
      `select failure ->> 'code' as code from deployments where ref = '1.1'`,
    );
    expect(rows).toEqual([{ code: 'STEP_TOO_SLOW' }]);
  });
});
