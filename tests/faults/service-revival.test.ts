import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, openDeployBench, type DeployBench } from '../integration/jobs/deploy-bench.ts';
import { appFiles } from '../support/deploy-repository.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { eventually, until } from '../support/until.ts';

let bench: DeployBench;
const services: ServiceProcess[] = [];

beforeAll(async () => {
  bench = await openDeployBench();
}, 60_000);
afterAll(async () => {
  for (const service of services) await service.kill();
  await bench.close();
});

/** A job service in a process of its own. */
async function startJobs(): Promise<ServiceProcess> {
  const env = bench.jobs.environment(bench.settings());
  const service = await startService('jobs', `revival-jobs-${services.length + 1}`, env);
  services.push(service);
  return service;
}

describe('a service whose job service, program and supervisor process were all killed', { timeout: 150_000 }, () => {
  it('answers again with the same release, restarted once although two job services run', async () => {
    const jobs = await startJobs();
    const shop = await bench.shop('phoenix');
    shop.repository.release('v1', appFiles({}));
    expect(await shop.deploy('act_p1', 'v1')).toContain('✅');
    const release = await shop.serves();
    const [before] = await bench.services.list(shop);
    const row = await bench.deployments.find('act_p1');

    await jobs.kill();
    const folder = join(bench.targetsDir, 'phoenix/staging/act_p1/instance');
    for (const name of ['shim', 'pid'])
      process.kill(Number(readFileSync(join(folder, name), 'utf8').split(' ')[0]), 'SIGKILL');
    // The proxy is there and has nobody behind it.
    await until(async () => (await shop.serves().catch(() => '')) !== release);

    await Promise.all([startJobs(), startJobs()]);
    await eventually(
      () => shop.serves().catch(() => ''),
      (now) => now === release,
      40_000,
    );
    expect(await bench.told('act_p1:revive:1')).toMatch(
      /^✅ \*\*phoenix\*\* in staging has recovered: v1-\w{7} serves/,
    );
    expect(await bench.services.list(shop)).toEqual([before]);
    expect((await bench.deployments.find('act_p1'))?.url).toBe(row?.url);
    expect(await shop.leases()).toEqual(['instance:act_p1', 'staging']);
    expect((await bench.jobs.told(ADA)).map(({ runId }) => runId)).toEqual(['act_p1', 'act_p1:revive:1']);
    const { rows } = await bench.jobs.pool.query<{ kind: string; data: unknown }>(
      `select kind, data from audit_events where kind like 'service.%'`,
    );
    expect(rows).toMatchObject([
      { kind: 'service.revived', data: { project: 'phoenix', deploymentId: 'act_p1', tries: 1 } },
    ]);
    const events = await bench.deployments.events('act_p1');
    expect(events.filter(({ evidence }) => 'revived' in evidence)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ from: 'succeeded', to: 'succeeded', actor: 'system' });
  });
});
