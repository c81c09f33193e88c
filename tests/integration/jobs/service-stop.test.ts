import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPortLeases } from '@signalbox/jobs/deploy/port-leases';
import { DeploymentStore } from '@signalbox/jobs/deploy/deployment-work';
import { createServiceStopStore } from '@signalbox/store/deploy/service-stops';
import { createLog } from '@signalbox/platform/log';
import { createServiceStopHandler } from '@signalbox/jobs/jobs/service-stop';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles, gatedBuild, makeGate } from '../../support/deploy-repository.ts';
import { eventually, until } from '../../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings());
});
afterAll(() => bench.close());

const never = new AbortController().signal;
const keyOf = ({ project, environment }: Shop) => ({ project, environment });

/** Asks for a stop, as the tool does, and answers its run when that is over. */
async function stop(runId: string, shop: Shop) {
  const { runs, queue } = bench.jobs;
  const person = { userKey: ADA, chatKey: `telegram:${ADA}` };
  const run = { runId, job: 'service.stop', payload: keyOf(shop), person, threadId: null, traceId: 'trc_test' };
  await runs.create(run);
  await queue.enqueue('service.stop', { runId, traceId: 'trc_test' });
  return eventually(
    () => runs.find(runId),
    (found) => found?.status === 'done' || found?.status === 'failed',
    20_000,
  );
}

/** A run of the stop in a process that dies as soon as it would reach the server. */
async function stopHalf(runId: string, shop: Shop): Promise<void> {
  const { pool } = bench.jobs;
  const handler = createServiceStopHandler({
    pool,
    work: new DeploymentStore(pool),
    leases: createPortLeases(pool),
    stops: createServiceStopStore(pool),
    traffic: traffic(),
    openDriver: () => Promise.reject(new Error('the process died')),
  });
  const owner = { userKey: ADA, threadId: null };
  const context = { runId, owner, signal: never, log: createLog('test', 'silent') } as unknown as JobContext;
  await expect(handler.run(keyOf(shop), context)).rejects.toThrow('the process died');
}

const traffic = () => createProxyTraffic({ socket: bench.settings().PROXY_SOCKET ?? '' });
const routeOf = (shop: Shop) => traffic().current(`${shop.project}/staging`, never);

/** The number by which this machine knows the program of a deployment; inside of its confinement it has another. */
async function pidOf(shop: Shop, deploymentId: string): Promise<number> {
  const file = join(bench.targetsDir, shop.project, shop.environment, deploymentId, 'instance/pid');
  const read = async () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return Number((await eventually(read, (text) => text !== '')).split(' ')[0]);
}

/** A zombie has ended: it waits for a parent to look, which after a stop is the machine's init. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

// Side by side: each has a service of its own, and most of the time is waiting.
describe.concurrent('a service that is being stopped', () => {
  it('loses its route and its program, and can be deployed and rolled back at the same address', async () => {
    const shop = await bench.shop('shop');
    shop.repository.release('v1', appFiles({}));
    await shop.deploy('act_1', 'v1');
    const pid = await pidOf(shop, 'act_1');
    const before = await bench.services.find(shop);
    expect(isAlive(pid)).toBe(true);

    // A request that is on its way is finished.
    const slow = shop.serves('/slow');
    slow.catch(() => undefined); // it is looked at below, when the stop is over
    await until(async () => ((await routeOf(shop))?.open[0]?.requests ?? 0) > 0);
    const run = await stop('act_stop', shop);
    expect(run).toMatchObject({ status: 'done', result: { deploymentId: 'act_1', how: 'graceful', cut: 0 } });
    expect(await slow).toMatch(/^v1-/);
    expect(await bench.told('act_stop')).toMatch(
      /^⏹ \*\*shop\*\* in staging is stopped: v1-\w{7} has ended, .*“deploy shop v1 to staging”/,
    );
    await expect(shop.serves()).rejects.toThrow('fetch failed');
    expect(isAlive(pid)).toBe(false);
    expect(await bench.services.find(shop)).toMatchObject({ serving: null, release: null, port: before?.port });
    expect(await shop.leases()).toEqual(['staging']);
    const events = await bench.deployments.events('act_1');
    expect(events.slice(-2)).toMatchObject([
      { from: 'succeeded', to: 'succeeded', actor: ADA, evidence: { stop: 'act_stop' } },
      { from: 'succeeded', to: 'succeeded', actor: ADA, evidence: { stopped: 'act_stop', how: 'graceful', cut: 0 } },
    ]);

    // Once more there is nothing to stop, which is said.
    expect(await stop('act_stop_2', shop)).toMatchObject({
      status: 'failed',
      error: 'Nothing of shop serves in staging, so there is nothing to stop.',
    });

    const kept = await bench.deployments.before(shop);
    expect(kept).toMatchObject({ deploymentId: 'act_1', kept: true });
    const back = await shop.deploy('act_2', 'v1', { kind: 'rollback', fromArtifact: 'act_1' });
    expect(back).toContain(`serves at ${before?.url ?? ''}`);
    expect(await shop.serves()).toMatch(/^v1-/);

    expect(await stop('act_stop_3', shop)).toMatchObject({ status: 'done' });
    expect(await shop.deploy('act_3', 'v1')).toContain(`serves at ${before?.url ?? ''}`);
    expect(await shop.serves()).toMatch(/^v1-/);
  });

  it('is stopped completely when the process that was stopping it died halfway', async () => {
    const shop = await bench.shop('half');
    shop.repository.release('v1', appFiles({}));
    await shop.deploy('act_h1', 'v1');
    const pid = await pidOf(shop, 'act_h1');
    await stopHalf('act_half', shop);
    expect(await routeOf(shop)).toBeNull();
    expect(isAlive(pid)).toBe(true);
    expect(await bench.services.stoppable(shop, null)).toEqual({ deploymentId: 'act_h1', isBegun: false });

    expect(await stop('act_half', shop)).toMatchObject({ status: 'done', result: { deploymentId: 'act_h1' } });
    expect(isAlive(pid)).toBe(false);
    expect(await shop.leases()).toEqual(['staging']);
  });

  it('keeps running the release that was deployed after an interrupted stop', async () => {
    const shop = await bench.shop('later');
    shop.repository.release('v1', appFiles({}));
    shop.repository.release('v2', appFiles({}));
    await shop.deploy('act_a1', 'v1');
    const pid = await pidOf(shop, 'act_a1');
    await stopHalf('act_late', shop);
    await shop.deploy('act_a2', 'v2');
    expect(await stop('act_late', shop)).toMatchObject({ status: 'done', result: { deploymentId: 'act_a1' } });
    expect(isAlive(pid)).toBe(false);
    expect(await shop.serves()).toMatch(/^v2-/);
    expect(await bench.services.find(shop)).toMatchObject({ serving: 'act_a2' });
    expect(await shop.leases()).toEqual(['instance:act_a2', 'staging']);
  });

  it('is not stopped during a deployment of the service', async () => {
    const shop = await bench.shop('busy');
    shop.repository.release('v1', appFiles({}));
    const gate = await makeGate();
    shop.repository.release('v2', appFiles({ build: gatedBuild(gate) }));
    await shop.deploy('act_b1', 'v1');
    await shop.ask('act_b2', 'v2');
    await bench.reaches('act_b2', 'building');
    expect(await stop('act_b_stop', shop)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^busy in staging is busy: Ada requested a deployment of v2/) as string,
    });
    expect(await shop.serves()).toMatch(/^v1-/);
    gate.open();
    expect(await bench.reaches('act_b2', 'succeeded', 'failed')).toBe('succeeded');
    expect(await shop.serves()).toMatch(/^v2-/);
  });
});
