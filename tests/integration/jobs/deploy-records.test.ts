import { RunStore } from '@signalbox/store/turns/runs';
import { createDeploymentStore, type DeploymentRequest } from '@signalbox/store/deploy/deployments';
import { createPortLeases } from '@signalbox/jobs/deploy/port-leases';
import { DeploymentStore } from '@signalbox/jobs/deploy/deployment-work';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { createServiceStore } from '@signalbox/store/deploy/services';
import { createLog } from '@signalbox/platform/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const SHOP = { project: 'shop', environment: 'staging' } as const;
const STEP = { actor: 'system', evidence: {}, limitMs: 60_000 };

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 8 });
  await pool.query(
    `insert into users (user_key, channel, name, role) values ('telegram:1', 'telegram', 'Ada', 'developer')`,
  );
  const project = { name: 'shop', description: '', repository: null, owner: 'telegram:1' };
  await createProjectStore(pool).create(project, 'act_project');
  await ensureLocalServer(pool, { cpus: 2, memoryMb: 4_000 });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const wish = (deploymentId: string, more: Partial<DeploymentRequest> = {}): DeploymentRequest => ({
  ...SHOP,
  deploymentId,
  kind: 'deploy',
  ref: 'v1',
  server: null,
  fromArtifact: null,
  userKey: 'telegram:1',
  threadId: 'thr_1',
  ...more,
});

const registerServer = (name: string, environment: string, memoryMb: number, driver: string | null = 'docker') =>
  pool.query(
    `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id, driver, measured_at)
     values ($1, '10.0.0.9', $2, 2, $3, 8000, 8003, $1, $4, now())`,
    [name, environment, memoryMb, driver],
  );

describe('a deploy request', () => {
  it('is stored once, and creates the service on this machine when its environment has no server', async () => {
    const deployments = createDeploymentStore(pool);
    const first = await deployments.request(wish('act_1'));
    expect(first).toMatchObject({ state: 'queued', server: 'local', userName: 'Ada', serving: false, release: null });
    expect(await deployments.request(wish('act_1'))).toEqual(first);
    expect(await deployments.events('act_1')).toMatchObject([{ from: null, to: 'queued', actor: 'telegram:1' }]);
    expect(await createServiceStore(pool).list({ project: 'shop' })).toMatchObject([
      { server: 'local', serving: null },
    ]);
  });

  it('is granted once when twenty people ask at once, and the others are told who asked first', async () => {
    const deployments = createDeploymentStore(pool);
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => deployments.request(wish(`act_${i}`))));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refusals).toHaveLength(19);
    for (const refusal of refusals)
      expect(refusal).toMatch(
        /shop in staging is busy: Ada requested a deployment of v1 [\d.]+ s ago \(\d{4}-.*Z\), and it is waiting for its turn\./,
      );
  });

  it('is placed on the server with the most free memory, and later deployments of its service stay there', async () => {
    await registerServer('new', 'staging', 9_000);
    await pool.query(`update servers set measured_at = null where name = 'new'`);
    await expect(createDeploymentStore(pool).request(wish('act_0'))).rejects.toThrow(
      'No server in staging was measured yet: new was never reached.',
    );
    await registerServer('small', 'staging', 1_000);
    await registerServer('large', 'staging', 2_000);
    await registerServer('booked', 'staging', 9_000, null);
    await registerServer('prod', 'production', 9_000);
    const deployments = createDeploymentStore(pool);
    expect((await deployments.request(wish('act_1'))).server).toBe('large');
    await expect(deployments.request(wish('act_2', { environment: 'production', server: 'large' }))).rejects.toThrow(
      'large is a server of staging; nothing of production runs there.',
    );
    await expect(deployments.request(wish('act_2', { environment: 'production', server: 'booked' }))).rejects.toThrow(
      'I only keep a record of booked',
    );
    await expect(deployments.request(wish('act_2', { server: 'nowhere' }))).rejects.toThrow(/no server named nowhere/);
    await deployments.cancel('act_1', 'telegram:1', 'act_cancel');
    await pool.query(`update services set serving = 'act_1'`);
    await expect(deployments.request(wish('act_2', { server: 'small' }))).rejects.toThrow(
      'shop in staging runs on large, not on small. Leave the server out, or say large.',
    );
  });
});

it('a rollback after two deployments of one release returns to the release before it', async () => {
  const deployments = createDeploymentStore(pool);
  for (const [id, release] of [
    ['act_1', '1.0-aaa'],
    ['act_2', '1.1-bbb'],
    ['act_3', '1.1-bbb'],
  ] as const) {
    await deployments.request(wish(id));
    await pool.query(
      `update deployments set state = 'succeeded', release = $2, finished_at = clock_timestamp() where deployment_id = $1`,
      [id, release],
    );
    await pool.query(`update services set serving = $1`, [id]);
  }
  expect(await deployments.before({ project: 'shop', environment: 'staging' })).toMatchObject({
    deploymentId: 'act_1',
  });
});

it('a rollback is proposed to the newest release that was well when it was replaced, and to none when none was', async () => {
  const deployments = createDeploymentStore(pool);
  const service = { project: 'shop', environment: 'staging' } as const;
  for (const [place, id] of ['act_1', 'act_2', 'act_3'].entries()) {
    await deployments.request(wish(id));
    await pool.query(
      `update deployments set state = 'succeeded', release = $1, finished_at = now() - interval '3 hours' + $2 * interval '1 hour'
        where deployment_id = $1`,
      [id, place],
    );
    await pool.query(`update services set serving = $1`, [id]);
  }
  expect(await deployments.healthyBefore(service)).toMatchObject({ deploymentId: 'act_2' });
  const fail = (from: string, until: string | null): Promise<unknown> =>
    pool.query(
      `insert into incidents (subject, kind, detail, evidence, opened_at, closed_at)
       values ('service:shop/staging', 'down', 'd', '{}', now() - $1::interval, now() - $2::interval)`,
      [from, until],
    );
  // It recovered while act_2 still served.
  await fail('110 minutes', '100 minutes');
  expect(await deployments.healthyBefore(service)).toMatchObject({ deploymentId: 'act_2' });
  await fail('90 minutes', '30 minutes');
  expect(await deployments.healthyBefore(service)).toMatchObject({ deploymentId: 'act_1' });
  await fail('150 minutes', null);
  expect(await deployments.healthyBefore(service)).toBeNull();
  expect(await deployments.before(service)).toMatchObject({ deploymentId: 'act_2' });
});

describe('the work on a deployment', () => {
  it('belongs to its last claimant, and writes of earlier claimants do nothing', async () => {
    await createDeploymentStore(pool).request(wish('act_1'));
    const work = new DeploymentStore(pool);
    const first = await work.claim('act_1', STEP);
    expect(first).toEqual({ epoch: 1, from: 'queued' });
    const second = await work.claim('act_1', STEP);
    expect(second).toEqual({ epoch: 2, from: 'preparing' });
    expect(await work.advance('act_1', { epoch: 1, from: 'preparing', to: 'building' }, STEP)).toBe(false);
    expect(await work.addLines('act_1', 1, 'preparing', ['late'])).toBe(false);
    expect(await work.recordProgress('act_1', 1)).toBe(false);
    expect(await work.watch('act_1', 1)).toMatchObject({ isOurs: false });
    expect(await work.advance('act_1', { epoch: 2, from: 'unknown', to: 'building' }, STEP)).toBe(true);
    expect((await createDeploymentStore(pool).events('act_1')).map(({ to }) => to)).toEqual([
      'queued',
      'preparing',
      'unknown',
      'building',
    ]);
    await expect(async () =>
      work.advance('act_1', { epoch: 2, from: 'building', to: 'succeeded' }, STEP),
    ).rejects.toThrow('no deployment goes from building to succeeded');
  });

  it('sees a cancel request until the switch of traffic begins, and never switches traffic after a cancel request', async () => {
    const deployments = createDeploymentStore(pool);
    await deployments.request(wish('act_1'));
    const work = new DeploymentStore(pool);
    await work.claim('act_1', STEP);
    for (const [from, to] of [
      ['preparing', 'building'],
      ['building', 'starting'],
      ['starting', 'health_checking'],
    ] as const)
      expect(await work.advance('act_1', { epoch: 1, from, to }, STEP)).toBe(true);
    expect(await deployments.cancel('act_1', 'telegram:1', 'act_c')).toEqual({
      accepted: true,
      state: 'health_checking',
    });
    expect(await work.advance('act_1', { epoch: 1, from: 'health_checking', to: 'switching' }, STEP)).toBe(false);
    expect(await work.watch('act_1', 1)).toMatchObject({ isOurs: true, cancelBy: 'telegram:1' });
    expect(await work.advance('act_1', { epoch: 1, from: 'health_checking', to: 'cancelling' }, STEP)).toBe(true);
    expect(await work.advance('act_1', { epoch: 1, from: 'cancelling', to: 'cancelled' }, STEP)).toBe(true);
    expect(await deployments.cancel('act_1', 'telegram:1', 'act_c')).toEqual({ accepted: true, state: 'cancelled' });
  });

  it('is awaited by the action that cancels it until that action gives up', async () => {
    const deployments = createDeploymentStore(pool);
    const waiting = async () =>
      (await pool.query<{ id: string | null }>('select cancel_action as id from deployments')).rows[0]?.id;
    await deployments.request(wish('act_1'));
    await pool.query(`update deployments set state = 'building' where deployment_id = 'act_1'`);
    await deployments.cancel('act_1', 'telegram:1', 'act_c');
    expect(await deployments.leaveCancel('act_1', 'act_other')).toBe(true);
    expect(await waiting()).toBe('act_c');
    expect(await deployments.leaveCancel('act_1', 'act_c')).toBe(true);
    expect(await deployments.leaveCancel('act_1', 'act_c')).toBe(true);
    expect(await waiting()).toBeNull();
    await deployments.cancel('act_1', 'telegram:1', 'act_d');
    await pool.query(`update deployments set state = 'cancelled' where deployment_id = 'act_1'`);
    expect(await deployments.leaveCancel('act_1', 'act_d')).toBe(false);
    expect(await waiting()).toBe('act_d');
  });

  it('cannot be cancelled once traffic may have been switched, even when its worker is lost', async () => {
    const deployments = createDeploymentStore(pool);
    await deployments.request(wish('act_1'));
    await pool.query(`update deployments set state = 'unknown' where deployment_id = 'act_1'`);
    await pool.query(
      `insert into deployment_events (deployment_id, n, from_state, to_state, actor) values ('act_1', 2, 'health_checking', 'switching', 'system'),
       ('act_1', 3, 'switching', 'unknown', 'system')`,
    );
    expect(await deployments.cancel('act_1', 'telegram:1', 'act_c')).toEqual({ accepted: false, state: 'unknown' });
    await expect(deployments.cancel('act_9', 'telegram:1', 'act_c')).rejects.toThrow(/no deployment named act_9/);
  });

  it('writes log lines in order, and keeps the newest five thousand', async () => {
    await createDeploymentStore(pool).request(wish('act_1'));
    const work = new DeploymentStore(pool);
    await work.claim('act_1', STEP);
    const batch = (from: number) => Array.from({ length: 3_000 }, (_, i) => `line ${from + i}`);
    expect(await work.addLines('act_1', 1, 'building', batch(0))).toBe(true);
    expect(await work.addLines('act_1', 1, 'building', batch(3_000))).toBe(true);
    const lines = await createDeploymentStore(pool).lines('act_1', 9_999);
    expect(lines).toHaveLength(5_000);
    expect([lines[0]?.line, lines.at(-1)?.line]).toEqual(['line 1000', 'line 5999']);
  });
});

describe('kept artifacts', () => {
  it('include those of the newest releases, of the serving release and of open deployments', async () => {
    const work = new DeploymentStore(pool);
    await createDeploymentStore(pool).request(wish('act_0'));
    for (let i = 0; i < 7; i++) {
      const id = `act_${i}`;
      if (i > 0) await createDeploymentStore(pool).request(wish(id));
      await pool.query(
        `update deployments set state = 'succeeded', finished_at = now() + $2 * interval '1 s', artifact = $3, artifact_kept = true
          where deployment_id = $1`,
        [id, i, JSON.stringify({ kind: 'folder', ref: `f${i}` })],
      );
    }
    await pool.query(`update services set serving = 'act_1'`);
    expect((await work.listStaleArtifacts(SHOP, 5)).map(({ deploymentIds }) => deploymentIds)).toEqual([['act_0']]);
    await createDeploymentStore(pool).request(wish('act_r', { kind: 'rollback', fromArtifact: 'act_0' }));
    expect(await work.listStaleArtifacts(SHOP, 5)).toEqual([]);
  });
});

describe('ports and variables', () => {
  it('a port is leased once per purpose, and is free again after its release', async () => {
    await registerServer('small', 'staging', 1_000);
    const leases = createPortLeases(pool);
    const lease = { server: 'small', project: 'shop', label: 'instance:act_1', memoryMb: 600, by: 'telegram:1' };
    expect(await leases.lease(lease, [8000])).toEqual({ port: 8001, isOld: false });
    expect(await leases.lease(lease, [])).toEqual({ port: 8001, isOld: true });
    await expect(leases.lease({ ...lease, label: 'instance:act_2' }, [])).rejects.toThrow('400 of 1000 MB left');
    await leases.end('small', 'shop', 'instance:act_1');
    await leases.end('small', 'shop', 'instance:act_1');
    expect(await leases.lease({ ...lease, label: 'instance:act_2' }, [])).toEqual({ port: 8000, isOld: false });
  });

  it('setting a variable creates its service, and the last value is used', async () => {
    const services = createServiceStore(pool);
    const color = { name: 'COLOR', value: 'blue', secret: null, givenBy: 'telegram:1' };
    expect(await services.setVariable(SHOP, color, 'act_1')).toEqual(color);
    const token = { name: 'COLOR', value: null, secret: 'secret:color', givenBy: 'telegram:1' };
    await services.setVariable(SHOP, token, 'act_2');
    expect(await services.variables(SHOP)).toEqual([token]);
    expect(await services.find(SHOP)).toMatchObject({ server: 'local', port: null, url: null });
    const until = new Date('2030-01-01T00:00:00Z');
    expect((await services.mute(SHOP, until, 'telegram:1', 'act_mute')).mutedUntil).toEqual(until);
    await expect(
      services.mute({ ...SHOP, environment: 'production' }, until, 'telegram:1', 'act_mute'),
    ).rejects.toThrow(/no service named shop\/production. Known: shop\/staging/);
  });
});

it('an interrupted deployment run is reported once, as interrupted and not as failed', async () => {
  const runs = new RunStore(pool);
  await createDeploymentStore(pool).request(wish('act_1'));
  await pool.query(`update deployments set state = 'building' where deployment_id = 'act_1'`);
  const error = 'It was interrupted 10 times.';
  for (const runId of ['act_1', 'act_1:2']) {
    const person = { userKey: '1', chatKey: 'telegram:1' };
    const payload = { project: 'shop', environment: 'staging', deploymentId: 'act_1' };
    await runs.create({ runId, job: 'deploy.run', payload, person, threadId: null, traceId: 'trc' });
    const begun = await runs.begin(runId, 1_000);
    if (begun.kind !== 'held') throw new Error('not held');
    await runs.finish(begun.run, { outcome: 'failed', result: null, error, say: `Failed: ${error}` });
  }
  const { rows } = await pool.query<{ say: string }>(`select envelope ->> 'say' as say from inbox`);
  expect(rows).toEqual([
    {
      say: '❓ The deployment did not finish: It was interrupted 10 times. It resumes automatically, and I will tell you how it ends.',
    },
  ]);
});
