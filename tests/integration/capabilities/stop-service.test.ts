import { createServiceStopStore } from '@signalbox/store/deploy/service-stops';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import type { ToolContext } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  // The database's part of the job; its work on a server is tested with the job.
  const work: Parameters<typeof openCapabilityBench>[0] = (pool) =>
    (async (_job: string, service: { project: string; environment: 'staging' }) => {
      const { deploymentId } = await createServiceStopStore(pool).begin(service, 'act_stop', '1001');
      const how = { release: '1.0-abc1234', ref: '1.0', server: 'local', how: 'graceful', cut: 0 };
      return { kind: 'done', result: { ...service, deploymentId, ...how } };
    }) as unknown as ToolContext['work'];
  bench = await openCapabilityBench(work);
  await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 });
  await bench.call('register_demo_project', {});
});
afterEach(() => bench.close());

const STAGING = { project: 'demo', environment: 'staging' };
const stop = () => bench.call('stop_service', STAGING, { actionId: 'act_stop' });

it('stopping a service is refused when nothing serves, and while a deployment is in progress', async () => {
  await expect(stop()).rejects.toThrow('Nothing of demo serves in staging, so there is nothing to stop.');
  await expect(bench.preview('stop_service', STAGING)).rejects.toThrow('there is nothing to stop');
  await bench.call('trigger_deploy', { ...STAGING, version: '1.0' }, { actionId: 'act_1' });
  await expect(stop()).rejects.toThrow(
    /demo in staging is busy: .* requested a deployment of 1\.0 .*Wait for its end, or cancel it/,
  );
});

it('stopping a service names the ending release, reports the end, and happens once for two calls', async () => {
  await bench.call('trigger_deploy', { ...STAGING, version: '1.0' }, { actionId: 'act_1' });
  await bench.pool.query(
    `update deployments set state = 'succeeded', release = '1.0-abc1234', finished_at = now(), artifact_kept = true`,
  );
  await bench.pool.query(`update services set serving = 'act_1'`);
  expect(await bench.preview('stop_service', STAGING)).toMatchObject({
    what: 'Stop demo in staging',
    change: '`1.0-abc1234` → nothing serves',
    undo: expect.stringContaining('deploy demo 1.0 to staging') as string,
  });
  const { said } = await stop();
  expect(said).toMatch(/^\*\*demo\*\* in staging is stopped: `1\.0-abc1234` has ended, and nothing serves there\./);
  // The turn is resumed after a crash: the same call again, when nothing serves any more.
  expect((await stop()).said).toBe(said);
});
