import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appFiles } from '../../support/deploy-repository.ts';
import { openDeployBench, SHOP, type DeployBench } from './deploy-bench.ts';

let bench: DeployBench;
beforeEach(async () => {
  bench = await openDeployBench();
});
afterEach(() => bench.close());

const ALL = [
  'queued',
  'preparing',
  'building',
  'starting',
  'health_checking',
  'switching',
  'verifying',
  'draining',
  'succeeded',
];

describe('a deployment', () => {
  it('ends with the new release serving through the proxy, and with the old one ended', async () => {
    const commit = bench.repository.release('v1.0', appFiles({ build: `console.log('built it');` }));
    bench.repository.release('v1.1', appFiles({}));
    await bench.jobs.startService(bench.settings());
    const said = await bench.deploy('act_1', 'v1.0');
    const release = `1.0-${commit.slice(0, 7)}`;
    expect(said).toContain(`✅ Deployed **shop** in staging: ${release} serves at http://127.0.0.1:`);
    expect(await bench.serves()).toBe(release);
    expect(await bench.states('act_1')).toEqual(ALL);
    expect((await bench.deployments.lines('act_1', 50)).map(({ line }) => line)).toEqual([
      'built it',
      `up with ${release}`,
    ]);
    expect(await bench.services.find(SHOP)).toMatchObject({ serving: 'act_1', release, server: 'local' });

    expect(await bench.deploy('act_2', '1.1')).toMatch(
      /1\.1-\w{7} serves at .* To undo it: .*1\.0-\w{7} served before/s,
    );
    expect(await bench.serves()).toMatch(/^1\.1-/);
    const { rows } = await bench.jobs.pool.query(
      `select service from port_allocations where released_at is null order by id`,
    );
    expect(rows).toEqual([{ service: 'staging' }, { service: 'instance:act_2' }]);
  });
});
