import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';
import { CRASH_LOOP_LIMITS, type CrashLoopLimits } from '@signalbox/jobs/health/crash-loop';
import { createServiceRevivals } from '@signalbox/jobs/health/service-revivals';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { appFiles } from '../../support/deploy-repository.ts';
import { eventually } from '../../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';
import { openWatcher } from './watcher.ts';

// Real programs below their real supervisor; only the figures are smaller, so that nobody waits for a minute. The figures of the product
// are those of the faults: tests/faults/service-revival-rules.test.ts.
const FEW: CrashLoopLimits = { ...CRASH_LOOP_LIMITS, restarts: 3, stopRestarts: 5 };

/** Ends 200 ms after it sees the file. */
const begin = `
import { existsSync } from 'node:fs';
const crash = () => {
  if (!existsSync('crash')) return;
  clearInterval(watch);
  setTimeout(() => {
    console.error('Error: no cable, token ghp_${'a1B2'.repeat(9)} \`\`\`' + 'x'.repeat(300));
    console.log('ending');
    process.exit(7);
  }, 200);
};
const watch = setInterval(crash, 30);
crash();`;

let bench: DeployBench;
const signal = AbortSignal.timeout(300_000);
const { confinement } = await openTestConfinement();

beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values ('telegram', 'bot', '1', $1, 'telegram:1001', 'message', '{"chatKind":"private"}', 'trc_1')`,
    [ADA],
  );
});
afterAll(() => bench.close());

/** Deploys `v1`, by a job service that is gone then: whoever looks is a watcher of the test. */
async function deploy(project: string): Promise<Shop> {
  const shop = await bench.shop(project);
  shop.repository.release('v1', appFiles({ begin, file: { health: { path: '/health', withinSeconds: 20 } } }));
  const service = await bench.jobs.startService(bench.settings());
  expect(await shop.deploy(`act_${project}`, 'v1')).toContain('✅');
  await service.close();
  return shop;
}

const folderOf = (project: string): string => join(bench.targetsDir, project, 'staging', `act_${project}`);
const crash = (project: string): void => writeFileSync(join(folderOf(project), 'artifact/crash'), '');

function restartsOf(project: string): number {
  try {
    return Number(readFileSync(join(folderOf(project), 'instance/restarts'), 'utf8'));
  } catch {
    return 0;
  }
}

async function running(project: string): Promise<readonly string[]> {
  const path = loadTestConfig().path;
  const driver = createProcessDriver({ server: 'local', targetsDir: bench.targetsDir, path, restarts: 0, confinement });
  const found = await driver.find({ project, environment: 'staging' }, signal);
  return found.filter(({ state }) => state.kind === 'running').map(({ id }) => id.deploymentId);
}

async function newsOf({ project }: Shop): Promise<readonly { say: string; quote: string | null; card: unknown }[]> {
  const { rows } = await bench.jobs.pool.query<{ say: string; quote: string | null; card: unknown }>(
    `select envelope ->> 'say' as say, envelope ->> 'quote' as quote, envelope -> 'card' as card from inbox
      where kind = 'incident' and envelope ->> 'project' = $1 order by id`,
    [project],
  );
  return rows;
}

/** Without what quick looks say between two starts: that it is down, and well again. */
const loopNewsOf = async (shop: Shop) => (await newsOf(shop)).filter(({ say }) => /crash loop|is stopped/.test(say));

const stopsOf = async (deploymentId: string) =>
  (await bench.deployments.events(deploymentId)).filter(({ evidence }) => 'crashLoop' in evidence);

/** What somebody reads who asks what is wrong. */
async function diagnose(project: string): Promise<unknown> {
  const runId = `act_diagnose_${project}`;
  const { runs, queue } = bench.jobs;
  const run = {
    runId,
    job: 'service.diagnose',
    payload: { project, environment: 'staging' },
    person: null,
    threadId: null,
    traceId: 'trc_test',
  } as const;
  await enqueueRun({ runs, queue, log: createLog('test', 'silent') }, run);
  const done = await eventually(
    () => runs.find(runId),
    (found) => found?.finishedAt != null,
    20_000,
  );
  return done?.result;
}

/** Looks by several processes at once, until so much was told. */
async function lookUntilTold(shop: Shop, looks: readonly (() => Promise<unknown>)[], pattern: RegExp) {
  return eventually(
    async () => {
      await Promise.all(looks.map((look) => look()));
      return newsOf(shop);
    },
    (news) => news.some(({ say }) => pattern.test(say)),
    60_000,
  );
}

describe('a service whose program ends 200 ms after each start', { timeout: 120_000 }, () => {
  it('is stopped and reported once at the limit by several watchers, and never started again', async () => {
    const shop = await deploy('looper');
    const looks = Array.from({ length: 3 }, () => openWatcher(bench, undefined, { loop: FEW }));
    crash('looper');
    await lookUntilTold(shop, looks, /crash loop/);
    await lookUntilTold(shop, looks, /is stopped/);
    for (let n = 0; n < 3; n++) await Promise.all(looks.map((look) => look()));

    const news = await loopNewsOf(shop);
    expect(news.map(({ say }) => say)).toEqual([
      expect.stringMatching(
        /^🔁 \*\*looper\*\* in staging is in a crash loop\..* [34] times within (?:less than )?\d+ s\.$/,
      ),
      expect.stringMatching(
        /^⛔ .*is stopped\. It crashed.* [56] times within (?:less than )?\d+ s, and was stopped.*“deploy looper v1 to staging”/,
      ),
    ]);
    for (const { quote } of news) {
      expect(quote).toMatch(/^Error: no cable/);
      expect(quote).not.toContain('ghp_');
      expect(quote?.length).toBeLessThan(170);
    }
    expect(JSON.stringify(news.map(({ say }) => say))).not.toContain('cable');
    expect(news[0]?.card).toEqual({ environment: 'staging', fromLog: true });

    expect(await running('looper')).toEqual([]);
    expect(await stopsOf('act_looper')).toHaveLength(1);
    const { rows } = await bench.jobs.pool.query(
      `select data ->> 'project' as project from audit_events where kind = 'service.crash_stopped'`,
    );
    expect(rows).toEqual([{ project: 'looper' }]);
    expect(await listOpenIncidents(bench.jobs.pool, 'service:looper/staging')).toMatchObject([
      { kind: 'crash-loop', notified: ADA, detail: expect.stringContaining('was stopped') as string },
    ]);
    const { rows: health } = await bench.jobs.pool.query<{ because: string }>(
      `select health ->> 'because' as because from services where project = 'looper'`,
    );
    expect(health[0]?.because).toContain('was stopped: nothing starts it again by itself');
    const service = await bench.jobs.startService(bench.settings());
    expect(await diagnose('looper')).toMatchObject({
      health: {
        verdict: 'down',
        because: expect.stringContaining('was stopped') as string,
        process: { running: false },
      },
      proposal: { action: 'look-at-logs' },
    });
    await service.close();
    // It was told to end, and is not brought back for that.
    const serving = { project: 'looper', environment: 'staging', deploymentId: 'act_looper' } as const;
    const revivals = createServiceRevivals(bench.jobs.pool);
    expect(await revivals.plan(serving)).toBeNull();
    expect(await revivals.begin(serving, {})).toBeNull();
  });

  it('is stopped and reported by the next probe when the first watcher was killed during the stop', async () => {
    const shop = await deploy('halfway');
    const killed = openWatcher(bench, undefined, {
      loop: FEW,
      wrap: (driver) => ({ ...driver, stop: () => Promise.reject(new Error('killed')) }),
    });
    crash('halfway');
    await eventually(
      async () => {
        await killed();
        return stopsOf('act_halfway');
      },
      (stops) => stops.length > 0,
      60_000,
    );
    expect(await running('halfway')).toEqual(['act_halfway']);
    expect((await newsOf(shop)).filter(({ say }) => say.includes('is stopped'))).toEqual([]);
    const look = openWatcher(bench, undefined, { loop: FEW });
    for (let n = 0; n < 2; n++) await Promise.all([look(), look()]);
    expect(await running('halfway')).toEqual([]);
    expect((await newsOf(shop)).filter(({ say }) => say.includes('is stopped'))).toHaveLength(1);
    expect(await stopsOf('act_halfway')).toHaveLength(1);
  });

  it('starts normally with the next release or a rollback, and its earlier crashes do not count', async () => {
    const shop = await deploy('mended');
    shop.repository.release('v2', appFiles({ begin, file: { health: { path: '/health', withinSeconds: 20 } } }));
    const deployed = await bench.jobs.startService(bench.settings());
    expect(await shop.deploy('act_mended_2', 'v2')).toContain('✅');
    await deployed.close();
    writeFileSync(join(bench.targetsDir, 'mended/staging/act_mended_2/artifact/crash'), '');
    const look = openWatcher(bench, undefined, { loop: FEW });
    const told = await lookUntilTold(shop, [look], /is stopped/);
    expect(told.at(-1)?.say).toContain('“roll back mended in staging”');

    const service = await bench.jobs.startService(bench.settings());
    const before = await bench.deployments.find('act_mended');
    const artifact = { kind: 'rollback', fromArtifact: before?.deploymentId ?? null } as const;
    expect(await shop.deploy('act_mended_3', 'v1', artifact)).toContain('✅');
    await service.close();
    expect(await shop.serves()).toMatch(/^v1-/);
    const news = await eventually(
      async () => {
        await look();
        return newsOf(shop);
      },
      (all) => all.length > told.length,
      30_000,
    );
    expect(news.slice(told.length).map(({ say }) => say)).toEqual([
      expect.stringMatching(/^✅ .* is healthy again after/),
    ]);
    for (let n = 0; n < 3; n++) await look();
    expect(await newsOf(shop)).toHaveLength(news.length);
    expect(await running('mended')).toEqual(['act_mended_3']);
    const { rows } = await bench.jobs.pool.query(
      `select health -> 'crashes' -> 'since' as since, health ->> 'verdict' as verdict from services where project = 'mended'`,
    );
    expect(rows).toEqual([{ since: null, verdict: 'healthy' }]);
    expect(await listOpenIncidents(bench.jobs.pool, 'service:mended/staging')).toEqual([]);
  });
});

it('a service that crashed twice and then stays up is not stopped', async () => {
  const shop = await deploy('stumbler');
  const look = openWatcher(bench, undefined, { loop: FEW });
  crash('stumbler');
  await eventually(
    async () => restartsOf('stumbler'),
    (restarts) => restarts === 2,
    30_000,
  );
  rmSync(join(folderOf('stumbler'), 'artifact/crash'));
  await eventually(
    () => shop.serves().catch(() => ''),
    (answer) => answer.startsWith('v1-'),
    30_000,
  );
  for (let n = 0; n < 4; n++) await look();
  expect(restartsOf('stumbler')).toBe(2);
  expect(await loopNewsOf(shop)).toEqual([]);
  expect(await stopsOf('act_stumbler')).toEqual([]);
  expect(await running('stumbler')).toEqual(['act_stumbler']);
});
