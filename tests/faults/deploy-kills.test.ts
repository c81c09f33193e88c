import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPLOY_TRANSITIONS, type DeployState } from '@signalbox/contracts/operations/deploy';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';
import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ADA, openDeployBench, type DeployBench, type Shop } from '../integration/jobs/deploy-bench.ts';
import { loadTestConfig } from '../support/config.ts';
import { appFiles } from '../support/deploy-repository.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { eventually, until } from '../support/until.ts';

let bench: DeployBench;
let worker: ServiceProcess;
let workers = 0;

beforeAll(async () => {
  bench = await openDeployBench();
  await holdStates();
  worker = await startWorker();
}, 120_000);
afterAll(async () => {
  await worker.kill();
  await bench.close();
});

/** A process that runs deployments; killed, another one takes its place. */
function startWorker(): Promise<ServiceProcess> {
  const env = bench.jobs.environment(bench.settings({ JOBS_CONCURRENCY: '8', LOG_LEVEL: 'debug' }));
  return startService('jobs', `deploy-worker-${(workers += 1)}`, env);
}

/**
 * Makes deployments stop where a test wants: whoever would move one of project P on from state S waits until the test lets it go.
 * Everything that the state is for has been done by then, and nothing of it is written.
 */
async function holdStates(): Promise<void> {
  await bench.jobs.pool.query(`
    create table held_states (project text, state text);
    grant select on held_states to public;
    create function wait_for_test() returns trigger language plpgsql as $$
    begin
      if new.state is distinct from old.state and (new.state <> 'unknown' or old.state = 'unknown') then
        for waited in 1 .. 140 loop
          exit when not exists (select 1 from held_states h where h.project = old.project and h.state = old.state);
          perform pg_sleep(0.1);
        end loop;
      end if;
      return new;
    end $$;
    create trigger wait_for_test before update on deployments for each row execute function wait_for_test();`);
}
const hold = (project: string, state: string) =>
  bench.jobs.pool.query('insert into held_states values ($1, $2)', [project, state]);
const letGo = (project: string, state: string) =>
  bench.jobs.pool.query('delete from held_states where project = $1 and state = $2', [project, state]);

/** Whether a worker has done all of this state and waits to move on. */
const waits = async (count: number): Promise<boolean> => {
  const { rows } = await bench.jobs.pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  );
  return rows.length >= count;
};

const BUILD = `console.log('building'); await new Promise((done) => setTimeout(done, 300));`;
const SICK = appFiles({ status: '500', file: { health: { path: '/health', withinSeconds: 1 } } });

/** A service with a first release that serves, and a second one to be deployed. */
async function openShop(project: string, next: Readonly<Record<string, string>>): Promise<Shop> {
  const shop = await bench.shop(project);
  shop.repository.release('v1', appFiles({}));
  shop.repository.release('v2', next);
  expect(await shop.deploy(`act_${project}_1`, 'v1')).toContain('✅');
  return shop;
}

/** Somebody who uses a service all the time, and what was answered wrongly. */
function useAllTheTime(shop: Shop): { stop(): Promise<readonly string[]> } {
  const wrong: string[] = [];
  let isOver = false;
  const use = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const answer = await shop
        .serves(n % 5 === 0 ? '/slow' : '/')
        .catch((error: unknown) => `failed: ${String(error)}`);
      if (!/^v[12]-[0-9a-f]{7}$/.test(answer)) wrong.push(answer);
      await new Promise((done) => setTimeout(done, 40));
    }
  };
  const using = use();
  return {
    stop: async () => {
      isOver = true;
      await using;
      return wrong;
    },
  };
}

/** What has to be true of a service after any deployment, whoever died on the way. */
async function expectTruth(shop: Shop, id: string, wanted: DeployState, version: string): Promise<void> {
  expect(await bench.reaches(id, 'succeeded', 'failed', 'rolled_back', 'cancelled')).toBe(wanted);
  const events = await bench.deployments.events(id);
  expect(events.filter(({ from, to }) => from !== null && !DEPLOY_TRANSITIONS[from].includes(to))).toEqual([]);
  expect(events.map(({ from }) => from).slice(1)).toEqual(events.map(({ to }) => to).slice(0, -1));
  expect(await shop.serves()).toMatch(new RegExp(`^${version}-`));
  const service = await bench.services.find(shop);
  expect(service?.release).toMatch(new RegExp(`^${version}-`));
  const path = loadTestConfig().path;
  const confinement = await openConfinement({ program: null }); // it starts nothing
  const driver = createProcessDriver({ server: 'local', targetsDir: bench.targetsDir, path, restarts: 0, confinement });
  const found = await driver.find(shop, AbortSignal.timeout(10_000));
  const running = found.filter(({ state }) => state.kind === 'running').map((one) => one.id.deploymentId);
  expect(running).toEqual([service?.serving]);
  expect(await shop.leases()).toEqual([`instance:${service?.serving ?? ''}`, 'staging']);
  // The run ends a moment after its deployment.
  await bench.told(id);
  const news = (await bench.jobs.told(ADA)).filter(({ runId }) => runId === id);
  expect(news).toHaveLength(1);
}

/** Brings deployments to the end of these states, kills the process there, and lets another one go on. */
async function killAt(
  cases: readonly { readonly shop: Shop; readonly state: DeployState; readonly cancel?: true }[],
): Promise<void> {
  for (const { shop, state } of cases) await hold(shop.project, state);
  for (const { shop } of cases) await shop.ask(`act_${shop.project}_2`, 'v2');
  for (const { shop, cancel } of cases) {
    if (!cancel) continue;
    await bench.reaches(`act_${shop.project}_2`, 'building');
    await bench.deployments.cancel(`act_${shop.project}_2`, '1003', `act_${shop.project}_c`);
  }
  for (const { shop, state } of cases) await bench.reaches(`act_${shop.project}_2`, state);
  await until(() => waits(cases.length), 20_000);
  const [next] = await Promise.all([startWorker(), worker.kill()]);
  worker = next;
  for (const { shop, state } of cases) await letGo(shop.project, state);
}

describe('a worker that is killed', () => {
  it('before the traffic switch loses nothing: another worker finishes the deployment', async () => {
    const shops = [
      await openShop('pre', appFiles({ build: BUILD })),
      await openShop('bui', appFiles({ build: BUILD })),
    ];
    shops.push(await openShop('sta', appFiles({})));
    const [pre, bui, sta] = shops as [Shop, Shop, Shop]; // three were just opened
    const users = shops.map(useAllTheTime);
    // This one dies a second time, while it is found out how things are.
    await hold('pre', 'unknown');
    await killAt([
      { shop: pre, state: 'preparing' },
      { shop: bui, state: 'building' },
      { shop: sta, state: 'starting' },
    ]);
    await until(() => waits(1), 30_000);
    const [next] = await Promise.all([startWorker(), worker.kill()]);
    worker = next;
    await letGo('pre', 'unknown');
    for (const shop of shops) await expectTruth(shop, `act_${shop.project}_2`, 'succeeded', 'v2');
    for (const user of users) expect(await user.stop()).toEqual([]);
  });

  it('around the traffic switch leaves exactly one serving instance, whichever worker made the switch', async () => {
    const shops = [await openShop('hea', appFiles({})), await openShop('swi', appFiles({}))];
    shops.push(await openShop('ver', appFiles({})));
    const [hea, swi, ver] = shops as [Shop, Shop, Shop]; // three were just opened
    const users = shops.map(useAllTheTime);
    await killAt([
      { shop: hea, state: 'health_checking' },
      { shop: swi, state: 'switching' },
      { shop: ver, state: 'verifying' },
    ]);
    for (const shop of shops) await expectTruth(shop, `act_${shop.project}_2`, 'succeeded', 'v2');
    for (const user of users) expect(await user.stop()).toEqual([]);
  });

  it('while it stops an instance leaves this instance stopped', async () => {
    const dra = await openShop('dra', appFiles({}));
    const fai = await openShop('fai', SICK);
    const can = await openShop('can', appFiles({ build: `setInterval(() => console.log('on it'), 100);` }));
    const users = [dra, fai, can].map(useAllTheTime);
    await killAt([
      { shop: dra, state: 'draining' },
      { shop: fai, state: 'failing' },
      { shop: can, state: 'cancelling', cancel: true },
    ]);
    await expectTruth(dra, 'act_dra_2', 'succeeded', 'v2');
    await expectTruth(fai, 'act_fai_2', 'failed', 'v1');
    await expectTruth(can, 'act_can_2', 'cancelled', 'v1');
    for (const user of users) expect(await user.stop()).toEqual([]);
  });

  it('in the middle of a build leaves no process of the build behind', async () => {
    const mid = await openShop(
      'mid',
      appFiles({ build: `console.log('begun'); await new Promise((done) => setTimeout(done, 4_000));` }),
    );
    await mid.ask('act_mid_2', 'v2');
    await eventually(
      () => bench.lines('act_mid_2'),
      (lines) => lines.includes('begun'),
    );
    const [next] = await Promise.all([startWorker(), worker.kill()]);
    worker = next;
    await expectTruth(mid, 'act_mid_2', 'succeeded', 'v2');
    expect(await bench.states('act_mid_2')).toContain('unknown');
    const begun = (await bench.lines('act_mid_2')).filter((line) => line === 'begun');
    expect(begun).toHaveLength(2);
    for (let n = 1; n <= workers; n++)
      expect(readFileSync(join(inject('runDir'), `deploy-worker-${n}.log`), 'utf8')).not.toContain('"level":"error"');
  });
});
