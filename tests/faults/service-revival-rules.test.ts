import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeploymentStore } from '@signalbox/jobs/deploy/deployment-work';
import { createPortLeases } from '@signalbox/jobs/deploy/port-leases';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { createServiceRevivals } from '@signalbox/jobs/health/service-revivals';
import { createServiceStopStore } from '@signalbox/store/deploy/service-stops';
import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { createLog } from '@signalbox/platform/log';
import type { Driver } from '@signalbox/jobs/drivers/driver';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createServiceReviveHandler } from '@signalbox/jobs/jobs/service-revive';
import { createServicesWatchHandler } from '@signalbox/jobs/health/services-watch';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestConfinement } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { appFiles } from '../support/deploy-repository.ts';
import { until } from '../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from '../integration/jobs/deploy-bench.ts';

// A job service deploys, and is gone then: what looks at services and brings them back is called by the tests, as it would be by one.

const NAMES = ['reborn', 'broken', 'looping', 'wanted', 'unled'] as const;
const shops = new Map<string, Shop>();
let bench: DeployBench;

beforeAll(async () => {
  bench = await openDeployBench();
  const service = await bench.jobs.startService(bench.settings());
  for (const name of NAMES) {
    const shop = await bench.shop(name);
    const begin = `import { existsSync } from 'node:fs'; const crash = () => { if (existsSync('crash')) { console.error('no cable'); process.exit(7); } }; crash(); setInterval(crash, 30);`;
    // Long enough for a busy machine: a program that ends is noticed at once all the same.
    const health = { path: '/health', withinSeconds: 20 };
    shop.repository.release('v1', appFiles({ begin, file: { health } }));
    const told = await shop.deploy(`act_${name}`, 'v1');
    if (!told.startsWith('✅')) throw new Error(told);
    shops.set(name, shop);
  }
  await service.close();
}, 60_000);
afterAll(() => bench.close());

const signal = AbortSignal.timeout(300_000);
const { confinement } = await openTestConfinement();
const driver = () =>
  createProcessDriver({
    server: 'local',
    targetsDir: bench.targetsDir,
    path: loadTestConfig().path,
    restarts: 0,
    confinement,
  });
const traffic = () => createProxyTraffic({ socket: bench.settings().PROXY_SOCKET ?? '' });
const shopOf = (name: (typeof NAMES)[number]): Shop => {
  const shop = shops.get(name);
  if (!shop) throw new Error(`no shop ${name}`);
  return shop;
};
const folderOf = (name: string): string => join(bench.targetsDir, name, 'staging', `act_${name}`);
const contextOf = (runId: string) =>
  ({
    runId,
    signal,
    log: createLog('test', 'silent'),
    now: () => new Date(),
    openSecret: () => Promise.reject(new Error('no secret')),
  }) as unknown as JobContext; // what the handlers touch of it

function parts(open: () => Driver) {
  const { pool, runs } = bench.jobs;
  return {
    pool,
    work: new DeploymentStore(pool),
    deployments: bench.deployments,
    services: bench.services,
    leases: createPortLeases(pool),
    traffic: traffic(),
    openDriver: async () => open(),
    listenHost: '127.0.0.1',
    reachHost: '127.0.0.1',
    publicHost: '127.0.0.1',
    publisher: { publish: async () => undefined },
    revivals: createServiceRevivals(pool),
    startRun: (run: Parameters<typeof runs.create>[0]) => runs.create(run),
    gapMs: 0,
    pauses: [0, 0],
  };
}

/** One look at all services; `times` at once, as by so many job services. */
async function look(times = 1): Promise<void> {
  const handlers = Array.from({ length: times }, () => createServicesWatchHandler(parts(driver)));
  await Promise.all(handlers.map((handler) => handler.run({}, contextOf('run_look'))));
}

/** The runs that are to bring a service back, the oldest first. */
async function runsOf(name: string): Promise<readonly { runId: string; status: string; because: string }[]> {
  const { rows } = await bench.jobs.pool.query<{ runId: string; status: string; because: string }>(
    `select run_id as "runId", status, payload ->> 'because' as because from runs
      where job = 'service.revive' and payload ->> 'project' = $1 order by created_at`,
    [name],
  );
  return rows;
}

/** Does what a run says, and ends it. */
async function bringBack(name: string, open: () => Driver = driver): Promise<JobResult<'service.revive'>> {
  const [run] = (await runsOf(name)).slice(-1);
  if (!run) throw new Error(`nobody is to bring ${name} back`);
  const { runs } = bench.jobs;
  const begun = await runs.begin(run.runId, 1_000);
  if (begun.kind !== 'held') throw new Error(`${run.runId} is ${begun.kind}`);
  const handler = createServiceReviveHandler(parts(open));
  const payload = { project: name, environment: 'staging', deploymentId: `act_${name}`, because: run.because } as const;
  const result = await handler.run(payload, contextOf(run.runId));
  await runs.finish(begun.run, { outcome: 'done', result, error: null, say: handler.say(result) });
  return result;
}

/** Kills a program with everything that watches over it. */
async function kill(name: string): Promise<void> {
  const folder = join(folderOf(name), 'instance');
  for (const file of ['shim', 'pid'])
    process.kill(Number(readFileSync(join(folder, file), 'utf8').split(' ')[0]), 'SIGKILL');
  await until(async () => (await running(name)).length === 0);
}

async function running(name: string): Promise<readonly string[]> {
  const found = await driver().find({ project: name, environment: 'staging' }, signal);
  return found.filter(({ state }) => state.kind === 'running').map(({ id }) => id.deploymentId);
}

const told = async (name: string) =>
  (await bench.jobs.told(ADA)).filter(({ runId }) => runId.startsWith(`act_${name}:`)).map(({ say }) => say);

describe('a service whose program is gone', { timeout: 60_000 }, () => {
  it('because its machine was rebooted is restarted once at its port, with its route', async () => {
    const shop = shopOf('reborn');
    const release = await shop.serves();
    await kill('reborn');
    const spec = join(folderOf('reborn'), 'instance/spec.json');
    const before = JSON.parse(readFileSync(spec, 'utf8')) as { port: number };
    writeFileSync(spec, JSON.stringify({ ...before, bootId: 'another boot' }));
    const route = await traffic().current('reborn/staging', signal);
    await traffic().remove('reborn/staging', route?.fence ?? 0, signal);
    await look(3);
    await look();
    expect(await runsOf('reborn')).toMatchObject([{ status: 'queued', because: 'its machine was started anew' }]);
    expect(await bringBack('reborn')).toMatchObject({ outcome: 'revived', tries: 1, failure: null });
    expect(await shop.serves()).toBe(release);
    expect(JSON.parse(readFileSync(spec, 'utf8'))).toMatchObject({ port: before.port });
    await look();
    expect(await runsOf('reborn')).toHaveLength(1);
    expect(await told('reborn')).toEqual([expect.stringMatching(/^✅ .*has recovered: v1-.* Cause: its machine was/)]);
    expect(await listOpenIncidents(bench.jobs.pool, 'service:reborn/staging')).toEqual([]);
    // What is lost another time is brought back another time.
    await kill('reborn');
    await look();
    expect(await bringBack('reborn')).toMatchObject({ outcome: 'revived' });
    expect(await runsOf('reborn')).toHaveLength(2);
  });

  it('and that cannot start is tried a few times, reported once with its last lines, and then left alone', async () => {
    const shop = shopOf('broken');
    await kill('broken');
    writeFileSync(join(folderOf('broken'), 'artifact/crash'), '');
    await look();
    expect(await bringBack('broken')).toMatchObject({
      outcome: 'given-up',
      tries: 3,
      failure: {
        sentence: expect.stringContaining('exit code 7') as string,
        lines: expect.arrayContaining(['no cable']) as string[],
      },
    });
    for (let n = 0; n < 3; n++) await look();
    expect((await runsOf('broken')).map(({ status }) => status)).toEqual(['done']);
    expect(await told('broken')).toEqual([
      expect.stringMatching(/^❌ .*could not be restarted.*exit code 7[^]*no cable/),
    ]);
    const incidents = await listOpenIncidents(bench.jobs.pool, 'service:broken/staging');
    expect(incidents).toMatchObject([{ kind: 'exited', notified: ADA }]);
    const { rowCount } = await bench.jobs.pool.query(`select 1 from inbox where kind = 'incident'`);
    expect(rowCount).toBe(0);
    const { rows } = await bench.jobs.pool.query(
      `select data ->> 'project' as project from audit_events where kind = 'service.given_up'`,
    );
    expect(rows).toEqual([{ project: 'broken' }]);
    expect(await bench.services.find(shop)).toMatchObject({ serving: 'act_broken' });
  });

  it('because it crashed again and again is reported as a crash loop within minutes, and not restarted', async () => {
    writeFileSync(join(folderOf('looping'), 'artifact/crash'), '');
    await until(async () => (await running('looping')).length === 0, 120_000);
    for (let n = 0; n < 2; n++) await look(2);
    expect(await runsOf('looping')).toEqual([]);
    expect(await listOpenIncidents(bench.jobs.pool, 'service:looping/staging')).toMatchObject([
      { kind: 'crash-loop', detail: expect.stringMatching(/ 10 times within .* was stopped/) as string },
    ]);
    const events = await bench.deployments.events('act_looping');
    expect(events.filter(({ evidence }) => 'crashLoop' in evidence)).toHaveLength(1);
  }, 150_000);

  it('while somebody stops it or deploys is not restarted', async () => {
    const shop = shopOf('wanted');
    const { pool } = bench.jobs;
    await kill('wanted');
    await look();
    // The stop begins between the look at what was built and the start of it.
    const late = (): Driver => {
      const real = driver();
      const has: Driver['has'] = async (artifact, at) => {
        await createServiceStopStore(pool).begin(shop, 'act_stop', ADA);
        return real.has(artifact, at);
      };
      return { ...real, has };
    };
    expect(await bringBack('wanted', late)).toMatchObject({ outcome: 'unneeded' });
    expect(await running('wanted')).toEqual([]);
    expect(await told('wanted')).toEqual([]);
    await look();
    expect(await runsOf('wanted')).toHaveLength(1);
    const revivals = createServiceRevivals(pool);
    const serving = { ...shop, environment: 'staging', deploymentId: 'act_wanted' } as const;
    expect(await revivals.begin(serving, {})).toBeNull();
    await pool.query(`update services set serving = 'act_wanted' where project = 'wanted'`);
    expect(await revivals.begin(serving, {})).not.toBeNull();
    await shop.ask('act_wanted_2', 'v1');
    expect(await revivals.begin(serving, {})).toBeNull();
    await look();
    expect(await runsOf('wanted')).toHaveLength(1);
  });

  it('from the proxy alone gets its route back without a restart', async () => {
    const shop = shopOf('unled');
    const pid = readFileSync(join(folderOf('unled'), 'instance/pid'), 'utf8');
    const route = await traffic().current('unled/staging', signal);
    await traffic().remove('unled/staging', route?.fence ?? 0, signal);
    await look();
    expect(await runsOf('unled')).toEqual([]); // it may be chance
    await look();
    expect(await runsOf('unled')).toMatchObject([{ because: 'the proxy did not lead to it any more' }]);
    expect(await bringBack('unled')).toMatchObject({ outcome: 'revived' });
    expect(await shop.serves()).toMatch(/^v1-/);
    expect(readFileSync(join(folderOf('unled'), 'instance/pid'), 'utf8')).toBe(pid);
  });
});
