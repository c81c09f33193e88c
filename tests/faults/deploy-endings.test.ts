import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, openDeployBench, type DeployBench, type Shop } from '../integration/jobs/deploy-bench.ts';
import { appFiles, gatedBuild, makeGate, type Gate } from '../support/deploy-repository.ts';
import { eventually } from '../support/until.ts';

const CLEO = '1003';

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings({ DEPLOY_UNKNOWN_MINUTES: '0.02', JOBS_CONCURRENCY: '8' }));
});
afterAll(() => bench.close());

/** The message of a deployment that is edited, as it is now; one per chat, whatever runs worked on it. */
async function progress(deploymentId: string): Promise<string> {
  const { rows } = await bench.jobs.pool.query<{ text: string }>(
    `select body ->> 'text' as text from outbox where slot = $1 order by id desc limit 1`,
    [`${deploymentId}/deploy`],
  );
  return rows[0]?.text ?? '';
}
const runEnds = (runId: string) =>
  eventually(
    () => bench.jobs.runs.find(runId),
    (run) => run?.finishedAt != null,
    40_000,
  );
/** What the inbox of the person got about a deployment. */
const news = async (deploymentId: string): Promise<readonly string[]> =>
  (await bench.jobs.told(ADA)).filter(({ runId }) => runId.startsWith(deploymentId)).map(({ say }) => say);

/** A build that goes on until it is ended. */
async function building(project: string, deploymentId: string): Promise<Shop> {
  const shop = await bench.shop(project);
  shop.repository.release('v1', appFiles({ build: gatedBuild(await makeGate()) }));
  await shop.ask(deploymentId, 'v1');
  await eventually(
    () => progress(deploymentId),
    (text) => text.includes('building'),
  );
  return shop;
}
const later = (deploymentId: string) =>
  bench.jobs.pool.query(
    `update deployments set state_at = now() - interval '1 min', progress_at = now() - interval '1 min' where deployment_id = $1`,
    [deploymentId],
  );
async function reconcile(runId: string): Promise<void> {
  await bench.jobs.runs.create({
    runId,
    job: 'deploys.reconcile',
    payload: {},
    person: null,
    threadId: null,
    traceId: 'trc',
  });
  await bench.jobs.queue.enqueue('deploys.reconcile', { runId, traceId: 'trc' });
  await runEnds(runId);
}

describe('somebody who cancels their own deployment', () => {
  it('is notified of its end once, and its progress message ends too', async () => {
    await building('own', 'act_own');
    await bench.deployments.cancel('act_own', ADA, 'act_own_c');
    await runEnds('act_own');
    expect(await bench.reaches('act_own', 'cancelled')).toBe('cancelled');
    // The tool that cancelled it waits for the end, and says it.
    expect(await news('act_own')).toEqual([]);
    expect(await progress('act_own')).toMatch(/^⏹ Deployment: \*\*own\*\* v1-\w{7} in staging\ncancelled · [\d.]+ s$/);
  });

  it('is notified of the end when the answer to the cancellation could not wait for the end', async () => {
    await building('patient', 'act_pat');
    // Asked for, and left, in one: nothing can end in between.
    await bench.jobs.pool.query(
      `update deployments set cancel_at = now(), cancel_by = $1, cancel_action = null where deployment_id = 'act_pat'`,
      [ADA],
    );
    await runEnds('act_pat');
    expect(await news('act_pat')).toEqual([expect.stringMatching(/⏹ Cancelled the deployment of \*\*patient\*\*/)]);
  });
});

it('is notified once when somebody else cancels their deployment', async () => {
  await building('theirs', 'act_the');
  await bench.deployments.cancel('act_the', CLEO, 'act_the_c');
  await runEnds('act_the');
  expect(await news('act_the')).toEqual([expect.stringContaining('⏹ Cancelled')]);
  expect(await progress('act_the')).toContain('⏹');
});

it('a run that an operator cancels ends after its deployment, and its end is reported once', async () => {
  await building('op', 'act_op');
  await bench.jobs.runs.cancel('act_op', 'operator');
  await runEnds('act_op');
  expect(await news('act_op')).toEqual([]);
  await later('act_op');
  await reconcile('act_sweep_op');
  await runEnds('act_op:2');
  expect(await news('act_op')).toEqual([expect.stringContaining('⏹ Cancelled the deployment')]);
  expect(await progress('act_op')).toMatch(/^⏹ .*\ncancelled/);
});

describe('the progress message of a deployment', () => {
  it('ends with the outcome: done, failed in a step, or rolled back', async () => {
    const shop = await bench.shop('ends');
    const [first, second, third] = [await makeGate(), await makeGate(), await makeGate()];
    const deploy = async (id: string, ref: string, gate: Gate): Promise<void> => {
      await shop.ask(id, ref);
      await eventually(
        () => progress(id),
        (text) => text.includes('building'),
      );
      gate.open();
      await bench.told(id);
    };
    shop.repository.release('v1', appFiles({ build: gatedBuild(first) }));
    await deploy('act_e1', 'v1', first);
    expect(await progress('act_e1')).toMatch(/^✅ Deployment: \*\*ends\*\* v1-\w{7} in staging\n▰{7} done · [\d.]+ s$/);
    const sick = { status: '500', file: { health: { path: '/health', withinSeconds: 1 } } };
    shop.repository.release('v2', appFiles({ ...sick, build: gatedBuild(second) }));
    await deploy('act_e2', 'v2', second);
    expect(await progress('act_e2')).toMatch(/^❌ .* in staging\nfailed while waiting until it is healthy · [\d.]+ s$/);
    // What serves reports another release than the one that was deployed.
    const file = { release: { from: 'header', name: 'x-other' } };
    shop.repository.release('v3', appFiles({ file, build: gatedBuild(third) }));
    await deploy('act_e3', 'v3', third);
    expect(await progress('act_e3')).toMatch(/^❌ .*\nfailed after the switch; traffic was switched back · [\d.]+ s$/);
  });

  it('says that the outcome is unknown, and is edited when a later run has found the outcome', async () => {
    const shop = await bench.shop('mute');
    const gate = await makeGate();
    shop.repository.release('v1', appFiles({ build: gatedBuild(gate) }));
    await shop.ask('act_mute', 'v1');
    await bench.reaches('act_mute', 'building');
    await bench.stopProxy();
    gate.open();
    expect(await bench.told('act_mute')).toContain('❓');
    expect(await progress('act_mute')).toMatch(/^❓ .*\nI do not know yet how it ended; I am checking again · /);
    await bench.startProxy();
    await later('act_mute');
    await reconcile('act_sweep_mute');
    expect(await bench.told('act_mute:2')).toContain('✅');
    expect(await progress('act_mute')).toMatch(/^✅ Deployment: \*\*mute\*\* v1/);
  });

  it('is finished by the next job service when the first one was killed before the last edit', async () => {
    const shop = await bench.shop('late');
    shop.repository.release('v1', appFiles({}));
    await shop.deploy('act_late', 'v1');
    const { pool } = bench.jobs;
    // As the killed one left it: the deployment is over, its run and its message are not.
    await pool.query(`delete from inbox where channel = 'jobs' and update_id = 'act_late'`);
    await pool.query(`delete from outbox where slot = 'act_late/deploy'`);
    await pool.query(
      `insert into outbox (key, chat_key, user_key, trace_id, priority, slot, body)
       values ('late', $1, $2, 'trc', 9, 'act_late/deploy', '{"text": "⏳ switching · 3 s", "buttons": []}')`,
      [`telegram:${ADA}`, ADA],
    );
    await pool.query(
      `update runs set status = 'running', finished_at = null, beat_at = now() - interval '1 hour' where run_id = 'act_late'`,
    );
    expect(await bench.told('act_late')).toContain('✅');
    expect(await progress('act_late')).toMatch(/^✅ Deployment: \*\*late\*\* v1-\w{7} in staging\n▰{7} done/);
  });
});
