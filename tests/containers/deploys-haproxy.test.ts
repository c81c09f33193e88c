import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDeployBench, type DeployBench } from '../integration/jobs/deploy-bench.ts';
import { eventually } from '../support/until.ts';
import { addReleases, goThroughDeployments } from './deploy-steps.ts';
import { startHaproxy, type Haproxy } from './haproxy-process.ts';
import { reportNotRun } from './not-run.ts';
import { runProgram } from './program.ts';

const isInstalled = (await runProgram('haproxy', ['-v'])).code === 0;
if (!isInstalled)
  reportNotRun('deployments behind HAProxy', 'haproxy is not installed: see tests/containers/install-tools');

describe.skipIf(!isInstalled)('deployments behind HAProxy', { timeout: 180_000 }, () => {
  let bench: DeployBench;
  let haproxy: Haproxy;
  beforeAll(async () => {
    bench = await openDeployBench();
    haproxy = await startHaproxy();
    const { socket, folder } = haproxy;
    const settings = { TRAFFIC: 'haproxy', HAPROXY_SOCKET: socket, HAPROXY_STATE_DIR: join(folder, 'state') };
    await bench.jobs.startService(bench.settings(settings));
    // Our own proxy plays no part in it.
    await bench.stopProxy();
  });
  afterAll(async () => {
    await bench?.close();
    await haproxy?.close();
  });

  it('report a missing backend, switch under load, refuse an unhealthy release, and roll back', async () => {
    const shop = await bench.shop('hafted');
    addReleases(shop);
    const refused = await shop.deploy('act_h0', 'v1');
    expect(refused).toMatch(/❌[^]*no backend hafted_staging[^]*a frontend for it that listens on port \d+/);
    expect(await shop.leases()).toEqual(['staging']);
    await haproxy.configure('hafted_staging', Number(/listens on port (\d+)/.exec(refused)?.[1]));
    expect(await shop.deploy('act_h_1', 'v1')).toContain('✅');
    await goThroughDeployments(bench, shop, 'act_h');
    // One that was started anew has forgotten where to: the looks at the services put it right.
    const release = await shop.serves();
    const port = (await bench.services.find(shop))?.port ?? 0;
    await haproxy.configure('hafted_staging', port);
    expect(await shop.serves()).not.toBe(release);
    await eventually(
      () => shop.serves(),
      (now) => now === release,
      60_000,
    );
  });
});
