import { createServer, type Server } from 'node:net';
import { ReadinessResult } from '@signalbox/contracts/operations/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles, gatedBuild, makeGate } from '../support/deploy-repository.ts';
import { eventually } from '../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from '../integration/jobs/deploy-bench.ts';

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings({ DEPLOY_UNKNOWN_MINUTES: '0.02' }));
});
afterAll(() => bench.close());

/** Runs a job, as a tool or a schedule would, and answers its result. */
async function run(runId: string, job: 'deploy.check' | 'deploys.reconcile', payload: object): Promise<unknown> {
  const { runs, queue } = bench.jobs;
  const person = { userKey: ADA, chatKey: `telegram:${ADA}` };
  await runs.create({ runId, job, payload, person, threadId: null, traceId: 'trc_test' });
  await queue.enqueue(job, { runId, traceId: 'trc_test' });
  const ended = await eventually(
    () => runs.find(runId),
    (found) => found?.status === 'done' || found?.status === 'failed',
  );
  return ended?.result;
}

async function check(runId: string, { project, environment }: Shop, ref: string): Promise<ReadinessResult> {
  return ReadinessResult.parse(await run(runId, 'deploy.check', { project, environment, ref, server: null }));
}

const failed = ({ checks }: ReadinessResult) => checks.filter(({ ok }) => !ok).map(({ name }) => name);

describe('a proxy that does not answer', () => {
  it('leaves a deployment unknown until it answers again', async () => {
    const shop = await bench.shop('mute');
    shop.repository.release('v1', appFiles({}));
    const gate = await makeGate();
    shop.repository.release('v2', appFiles({ build: gatedBuild(gate) }));
    await shop.deploy('act_m1', 'v1');
    await shop.ask('act_m2', 'v2');
    await bench.reaches('act_m2', 'building');
    await bench.stopProxy();
    gate.open();
    const said = await bench.told('act_m2');
    expect(said).toMatch(/❓ \*\*mute\*\* in staging: I do not know whether v2-\w{7} serves/);
    expect((await bench.deployments.find('act_m2'))?.state).toBe('unknown');
    // Nobody else may touch the service meanwhile, and a check says why.
    await expect(shop.ask('act_m3', 'v2')).rejects.toThrow(
      /mute in staging is busy: .* and it is finding out how it ended/,
    );
    expect(failed(await check('act_check_m', shop, 'v2'))).toEqual(['proxy', 'lock', 'predecessor']);

    await bench.startProxy();
    // As if half a minute had passed.
    await bench.jobs.pool.query(
      `update deployments set state_at = now() - interval '1 min', progress_at = now() - interval '1 min' where deployment_id = 'act_m2'`,
    );
    await run('act_sweep', 'deploys.reconcile', {});
    expect(await bench.reaches('act_m2', 'succeeded', 'failed', 'rolled_back')).toBe('succeeded');
    expect(await shop.serves()).toMatch(/^v2-/);
    expect(await bench.told('act_m2:2')).toMatch(/✅ Deployed \*\*mute\*\* in staging: v2-/);
  });
});

describe('a proxy that is away when a deployment begins', () => {
  it('fails no deployment when it comes back soon', async () => {
    const shop = await bench.shop('patient');
    shop.repository.release('v1', appFiles({}));
    await bench.stopProxy();
    await shop.ask('act_pa', 'v1');
    await bench.reaches('act_pa', 'preparing');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await bench.states('act_pa')).toEqual(['queued', 'preparing']);
    await bench.startProxy();
    expect(await bench.told('act_pa')).toContain('✅');
    expect(await shop.serves()).toMatch(/^v1-/);
  });

  it('is named as the problem when it stays away', { timeout: 90_000 }, async () => {
    const shop = await bench.shop('bereft');
    shop.repository.release('v1', appFiles({}));
    await bench.stopProxy();
    try {
      await shop.ask('act_be', 'v1');
      await bench.reaches('act_be', 'failed');
      expect(await bench.told('act_be')).toMatch(
        /Nothing was deployed\. proxy: The proxy is not answering\. Check whether/,
      );
      expect(await bench.states('act_be')).toEqual(['queued', 'preparing', 'failing', 'failed']);
    } finally {
      await bench.startProxy();
    }
  });
});

describe('a deployment that was requested and never started', () => {
  it('is started by the periodic sweep', async () => {
    const shop = await bench.shop('orphan');
    shop.repository.release('v1', appFiles({}));
    const wish = { project: 'orphan', environment: 'staging', kind: 'deploy', ref: 'v1', server: null } as const;
    await bench.deployments.request({
      ...wish,
      deploymentId: 'act_or',
      fromArtifact: null,
      userKey: ADA,
      threadId: 't',
    });
    await bench.jobs.pool.query(
      `update deployments set state_at = now() - interval '1 min' where deployment_id = 'act_or'`,
    );
    await run('act_sweep2', 'deploys.reconcile', {});
    expect(await bench.reaches('act_or', 'succeeded', 'failed')).toBe('succeeded');
  });
});

describe('a run that an operator cancels', () => {
  it('cancels its deployment once the processes of the build are gone', async () => {
    const shop = await bench.shop('operator');
    shop.repository.release('v1', appFiles({ build: `console.log('begun'); setTimeout(() => {}, 60_000);` }));
    await shop.ask('act_op', 'v1');
    await eventually(
      () => bench.lines('act_op'),
      (lines) => lines.includes('begun'),
    );
    await bench.jobs.runs.cancel('act_op', 'operator');
    await eventually(
      () => bench.jobs.runs.find('act_op'),
      (found) => found?.status === 'cancelled',
    );
    await bench.jobs.pool.query(
      `update deployments set state_at = now() - interval '1 min', progress_at = now() - interval '1 min' where deployment_id = 'act_op'`,
    );
    await run('act_sweep3', 'deploys.reconcile', {});
    expect(await bench.reaches('act_op', 'succeeded', 'failed', 'cancelled')).toBe('cancelled');
    expect((await bench.states('act_op')).slice(-3)).toEqual(['unknown', 'cancelling', 'cancelled']);
    expect(await shop.leases()).toEqual([]);
  });
});

describe('a check before a deployment', () => {
  it('runs every readiness check, and reports each result', async () => {
    const shop = await bench.shop('ready');
    const commit = shop.repository.release('v1', appFiles({ file: { requires: ['COLOR'] } }));
    const variable = { name: 'COLOR', value: 'blue', secret: null, givenBy: ADA };
    await bench.services.setVariable(shop, variable, 'act_color');
    const result = await check('act_check_r', shop, 'HEAD');
    expect(failed(result)).toEqual([]);
    expect(result).toMatchObject({ ready: true, server: 'local', commit });
    expect(Object.fromEntries(result.checks.map(({ name, evidence }) => [name, evidence]))).toMatchObject({
      server: 'local (process)',
      target: expect.stringMatching(/^local answers: process on Linux/),
      disk: expect.stringMatching(/^\d+ of \d+ MB free$/),
      memory: expect.stringMatching(/^\d+ of \d+ MB free, 200 MB needed$/),
      ref: expect.stringContaining(`HEAD is ${commit.slice(0, 12)}`),
      command: 'To deploy it, I start it with `node server.mjs`.',
      health: '/health has to answer 200 within 5 s',
      variables: 'set: COLOR',
      secrets: 'there are none',
      proxy: 'it answers, and has no route yet',
      lock: 'no other deployment of it is in progress',
      predecessor: 'the outcome of every earlier deployment is known',
    });
    // Looking changes nothing.
    expect(await shop.leases()).toEqual([]);
  });

  it('names each missing requirement, with a remedy', async () => {
    const shop = await bench.shop('unready');
    shop.repository.release('v1', {
      ...appFiles({}),
      'signalbox.json': '{"requires": ["A", "B"], "memoryMb": 900000}',
    });
    const result = await check('act_check_u', shop, 'v1');
    expect(failed(result)).toEqual(['command', 'memory', 'variables']);
    expect(result.checks.find(({ name }) => name === 'variables')).toMatchObject({
      evidence: 'Not set: A, B.',
      remedy: 'Set A, B for this environment.',
    });
    expect(failed(await check('act_check_u2', shop, 'v7'))).toEqual(['ref']);
  });
});

describe('a port that somebody else listens on', () => {
  it('is skipped in the choice of ports for instances and of public ports', async () => {
    const shop = await bench.shop('busy');
    shop.repository.release('v1', appFiles({}));
    const { rows } = await bench.jobs.pool.query<{ port: number }>(
      `select p.port from servers s, generate_series(s.first_port, s.last_port) p (port) where s.name = 'local' and not exists (
         select 1 from port_allocations a where a.server = 'local' and a.port = p.port and a.released_at is null) order by 1 limit 1`,
    );
    const port = rows[0]?.port ?? 0;
    const other = await listen(port);
    try {
      expect(await shop.deploy('act_bu', 'v1')).toContain('✅');
      const row = await bench.jobs.pool.query<{ port: number }>(
        `select port from deployments where deployment_id = 'act_bu'`,
      );
      expect(row.rows[0]?.port).toBeGreaterThan(port);
      expect((await bench.services.find(shop))?.port).toBeGreaterThan(port);
    } finally {
      other.close();
    }
  });
});

function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
