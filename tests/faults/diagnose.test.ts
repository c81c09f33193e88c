import { DeploymentStore } from '@signalbox/jobs/deploy/deployment-work';
import { createServiceRevivals } from '@signalbox/jobs/health/service-revivals';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createServiceStore } from '@signalbox/store/deploy/services';
import { createLog } from '@signalbox/platform/log';
import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createServicesWatchHandler } from '@signalbox/jobs/health/services-watch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { eventually } from '../support/until.ts';

// A complaint leads to evidence, to a proposed rollback, and to a release that is quick again: each step stands on those before.

let demo: DemoStack;
let look: () => Promise<unknown>;
let pool: Pool;
beforeAll(async () => {
  demo = await openDemoStack();
  // As the pool of deployments logs in, which sees no rows of what people wrote.
  const log = createLog('test', 'silent');
  pool = openPool(demo.stack.wiring.databaseUrl('deploy'), log, { name: 'jobs-deploy', max: 4, as: 'deploy' });
  const confinement = await openConfinement({ program: null }); // it starts nothing
  const handler = createServicesWatchHandler({
    pool,
    work: new DeploymentStore(pool),
    deployments: createDeploymentStore(pool),
    services: createServiceStore(pool),
    openDriver: ({ server: name, serverHost: host, ...rest }) =>
      openDriver(
        { name, host, ...rest },
        {
          targetsDir: demo.targets,
          path: loadTestConfig().path,
          baseImage: '',
          confinement,
          openSecret: () => Promise.reject(new Error('no secret')),
        },
      ),
    reachHost: '127.0.0.1',
    traffic: { current: () => Promise.resolve(null) },
    publisher: { publish: async () => undefined }, // the sweepers find what is not published
    gapMs: 0,
    revivals: createServiceRevivals(pool),
    startRun: async () => false, // nobody brings anything back here
  });
  // The schedule looks every 15 seconds; what it would do is done here at once, beside it.
  look = () =>
    handler.run(
      {},
      {
        signal: AbortSignal.timeout(30_000),
        log,
        now: () => new Date(),
        openSecret: () => Promise.reject(new Error('none')),
      } as unknown as JobContext, // what the handler touches of it
    );
}, 60_000);
afterAll(async () => {
  await pool.end();
  await demo.close();
}, 60_000);

const { ask, heard } = {
  ask: (text: string, pattern: RegExp): Promise<string> => demo.tell(demo.people.ben, text, pattern),
  heard: async (pattern: RegExp): Promise<readonly string[]> =>
    (await demo.people.ben.heard()).map(({ text }) => text).filter((text) => pattern.test(text)),
};

/** Presses the newest button that begins so. Logs were read here: such a button is the tap that a change waits for. */
async function press(begin: string): Promise<void> {
  const labels = (await demo.people.ben.heard()).flatMap(({ buttons }) => buttons?.flat() ?? []);
  await demo.people.ben.click(labels.findLast(({ text }) => text.startsWith(begin))?.text ?? begin);
}

it('a complaint about a service is answered with evidence and the offer to roll back', async () => {
  await ask('register the demo project', /registered the project demo/);
  await ask('deploy demo 1.0 to staging', /✅ Deployed/);
  for (let n = 0; n < 3; n++) await look();
  await ask('deploy demo 1.1 to staging', /✅ Deployed/);
  const found = await ask('why is demo slow?', /Should I roll back/);
  expect(found).toMatch(/demo in staging is degraded\. It answers in 1\.\d s/);
  expect(found).toMatch(
    /1\.1\S* answers in 1\.\d s, 1\.0\S* took \d+ ms; it was deployed .* ago\. Should I roll back\?/,
  );
  expect(found).toContain('latest deployments: 1.1 by');
}, 120_000);

it('an incident is reported once, a question about the report is answered, and the service can be muted', async () => {
  await eventually(
    async () => {
      await Promise.all([look(), look()]);
      return heard(/⚠️/);
    },
    (told) => told.length > 0,
    30_000,
  );
  await look();
  expect(await heard(/⚠️/)).toEqual([expect.stringMatching(/demo in staging is degraded\. It answers in/)]);
  expect(await ask('why?', /Should I roll back/)).toContain('demo');
  await ask('mute demo in staging for 1 hour', /I send no messages about demo in staging for 1 h\./);
  const { rows } = await demo.stack.pool.query(
    `select muted_until > now() + interval '50 minutes' as muted from services where project = 'demo'`,
  );
  expect(rows).toEqual([{ muted: true }]);
  await press('Roll back demo in staging to 1.0');
  await demo.people.ben.waitFor(/✅ Rolled/);
  expect((await demo.visit('staging')).release).toMatch(/^1\.0/);
  const actions = await demo.stack.pool.query<{ tool: string; status: string }>(
    `select tool, status from actions where tool = 'rollback_deploy'`,
  );
  expect(actions.rows).toEqual([{ tool: 'rollback_deploy', status: 'done' }]);
  expect(await heard(/Please confirm/)).toEqual([]);
  await eventually(
    async () => {
      await look();
      return heard(/✅ demo in staging is healthy again/);
    },
    (told) => told.length > 0,
    30_000,
  );
  expect(await heard(/⚠️/)).toHaveLength(1);
}, 120_000);
