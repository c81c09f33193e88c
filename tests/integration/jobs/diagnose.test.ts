import { HOUR_MS } from '@signalbox/contracts/time';
import type { JobName, JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { countErrors, listErrorGroups } from '@signalbox/store/deploy/error-groups';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';
import { makeServerFiles } from './server-files.ts';
import { openWatcher } from './watcher.ts';

/** A program whose answers take `delayMs`, that logs what it is asked to, and is broken or ends when it is told to. */
const program = (delayMs: number): Readonly<Record<string, string>> =>
  makeServerFiles(
    `let status = 200;`,
    `  if (pathname === '/log') console.error(searchParams.get('text'));
  if (pathname === '/end') setTimeout(() => process.exit(3), 50);
  if (pathname === '/status') status = Number(searchParams.get('is'));
  setTimeout(() => { response.writeHead(pathname === '/health' ? status : 200, { 'x-release': SIGNALBOX_RELEASE }); response.end('ok'); }, pathname === '/health' ? ${delayMs} : 0);`,
  );

const [asked, unasked] = [{ onlyReads: false }, { onlyReads: true }];

let bench: DeployBench;
let shop: Shop;
let runs = 0;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
     values ('telegram', '1', '1', $1, $2, 'message', '{"chatKind": "private"}', 't', 'answered')`,
    [ADA, `telegram:${ADA}`],
  );
  await bench.jobs.startService(bench.settings());
  shop = await bench.shop('shop');
  shop.repository.release('1.0.0', program(0));
  shop.repository.release('1.1.0', program(900));
  await shop.deploy('act_one', '1.0.0');
});
afterAll(() => bench.close());

async function run<N extends JobName>(job: N, payload: JobPayload<N>): Promise<JobResult<N>> {
  runs += 1;
  const runId = `act_run_${runs}`;
  const { jobs } = bench;
  await enqueueRun(
    { runs: jobs.runs, queue: jobs.queue, log: createLog('test', 'silent') },
    { runId, job, payload, person: null, threadId: null, traceId: 'trc' },
  );
  const ended = await eventually(
    () => jobs.runs.find(runId),
    (row) => row?.status === 'done' || row?.status === 'failed',
    20_000,
  );
  if (ended?.status !== 'done') throw new Error(ended?.error ?? 'no run');
  return ended.result as JobResult<N>; // the job service has checked it
}

async function news(): Promise<readonly { readonly phase: string; readonly say: string; readonly card: unknown }[]> {
  const { rows } = await bench.jobs.pool.query<{ phase: string; say: string; card: unknown }>(
    `select envelope ->> 'phase' as phase, envelope ->> 'say' as say,
            envelope -> 'card' as card
       from inbox where kind = 'incident' order by id`,
  );
  return rows;
}

const SERVICE = { project: 'shop', environment: 'staging' } as const;
const log = (text: string): Promise<string> => shop.serves(`/log?text=${encodeURIComponent(text)}`);

describe('a running service', () => {
  it('has its health measured through the proxy and at the instance, with its program and release', async () => {
    const health = await run('service.health', SERVICE);
    expect(health).toMatchObject({
      verdict: 'healthy',
      proxy: { status: 200 },
      instance: { status: 200 },
      process: { running: true },
    });
    expect(health.reportedRelease).toBe(health.release);
    expect(health.because).toContain(health.release);
  });

  it('shows only its own log, filtered by text and with secrets redacted', async () => {
    await log('paid with AKIAIOSFODNN7EXAMPLE and password=hunter2hunter2');
    await log('order 7 is packed');
    const read = await run('service.logs', {
      ...SERVICE,
      of: 'serving',
      tail: 10,
      sinceMinutes: null,
      untilMinutes: null,
      match: 'PAID',
      followSeconds: 0,
    });
    expect(read.lines.map(({ line }) => line)).toEqual([expect.stringContaining('paid with')]);
    expect(JSON.stringify(read)).not.toMatch(/AKIAIOSFODNN7EXAMPLE|hunter2/);
    const other = run('service.logs', {
      ...SERVICE,
      of: 'act_other',
      tail: 10,
      sinceMinutes: null,
      untilMinutes: null,
      match: null,
      followSeconds: 0,
    });
    await expect(other).rejects.toThrow('act_other is not a deployment of shop in staging');
  });

  it('has its log followed in one chat message that ends', async () => {
    const { jobs } = bench;
    const payload = {
      ...SERVICE,
      of: 'serving',
      tail: 10,
      sinceMinutes: null,
      untilMinutes: null,
      match: 'parcel',
      followSeconds: 4,
    };
    await enqueueRun(
      { runs: jobs.runs, queue: jobs.queue, log: createLog('test', 'silent') },
      {
        runId: 'act_follow',
        job: 'service.logs',
        payload,
        person: { userKey: ADA, chatKey: `telegram:${ADA}` },
        threadId: null,
        traceId: 'trc',
      },
    );
    const messages = async (): Promise<readonly { slot: string; text: string }[]> =>
      (
        await jobs.pool.query<{ slot: string; text: string }>(
          `select slot, body ->> 'text' as text from outbox where slot like '%act_follow%' order by id`,
        )
      ).rows;
    await eventually(messages, (all) => all.length > 0, 20_000);
    await log('parcel 1 with token=ghp_abcdefghijklmnopqrstuvwxyz0123456789');
    await log('something else');
    await eventually(
      () => jobs.runs.find('act_follow'),
      (found) => found?.finishedAt != null,
      20_000,
    );
    const said = await messages();
    expect(new Set(said.map(({ slot }) => slot)).size).toBe(1);
    expect(said.at(-1)?.text).toContain('parcel 1');
    expect(JSON.stringify(said)).not.toMatch(/ghp_abc|something else/);
  });

  it('has each error in its log counted once, however often the log is read', async () => {
    const look = openWatcher(bench);
    await look();
    const before = await countErrors(bench.jobs.pool, SERVICE, HOUR_MS);
    for (const order of [17, 4711, 9]) await log(`Error: order ${order} failed for "user-${order}"`);
    await eventually(
      async () => {
        await Promise.all([look(), openWatcher(bench)(), look()]);
        return countErrors(bench.jobs.pool, SERVICE, HOUR_MS);
      },
      (count) => count - before >= 3,
    );
    await look();
    expect(await countErrors(bench.jobs.pool, SERVICE, HOUR_MS)).toBe(before + 3);
    const groups = await listErrorGroups(bench.jobs.pool, { ...SERVICE, since: new Date(0) }, 10);
    expect(groups.find(({ sample }) => sample.includes('order'))).toMatchObject({ count: 3, source: 'log' });
  });

  it('has a read-only command run on its server, and `rm -rf /` refused', async () => {
    const ran = await run('diagnostic.run', { server: 'local', command: 'uname -s', ...unasked, actionId: 'act_d' });
    expect(ran).toMatchObject({ code: 0, stdout: 'Linux\n' });
    await expect(
      run('diagnostic.run', { server: 'local', command: 'rm -rf /', ...asked, actionId: 'act_e' }),
    ).rejects.toThrow(/do not run/);
    // Behind two pipes of our own; a shell would have found other programs.
    const piped = 'df --output=target / /nowhere | sort -r | grep -x -F -e / -e nothing';
    expect(
      await run('diagnostic.run', { server: 'local', command: piped, ...unasked, actionId: 'act_p' }),
    ).toMatchObject({
      code: 0,
      stdout: '/\n',
      stderr: expect.stringContaining('/nowhere'),
    });
  });

  it('has a command with a shell expression run when it was approved, and refused otherwise', async () => {
    const command = 'echo $((20 + 3))';
    expect(await run('diagnostic.run', { server: 'local', command, ...asked, actionId: 'act_f' })).toMatchObject({
      stdout: '23\n',
    });
    await expect(run('diagnostic.run', { server: 'local', command, ...unasked, actionId: 'act_g' })).rejects.toThrow(
      /do not run/,
    );
  });
});

describe('a release that is slow', () => {
  it('is compared with the latency of the previous release, and a rollback is proposed', async () => {
    const look = openWatcher(bench);
    for (let n = 0; n < 3; n++) await look();
    await shop.deploy('act_two', '1.1.0');
    const found = await run('service.diagnose', SERVICE);
    expect(found).toMatchObject({
      health: { verdict: 'degraded' },
      previous: { deploymentId: 'act_one' },
      proposal: { action: 'rollback' },
    });
    expect(found.proposal.because).toMatch(
      /^1\.1\.0\S* answers in (9\d\d ms|1\S* s), 1\.0\.0\S* took \d+ ms; it was deployed .* ago\.$/,
    );
  });

  it('is reported once to its deployer, and once more when it is healthy again', async () => {
    const [one, other] = [openWatcher(bench), openWatcher(bench)];
    await eventually(
      async () => {
        await Promise.all([one(), other(), one()]);
        return listOpenIncidents(bench.jobs.pool);
      },
      (open) => open.length > 0,
      20_000,
    );
    await Promise.all([one(), other()]);
    const told = await news();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ phase: 'opened', card: { environment: 'staging' } });
    expect(told[0]?.say).toMatch(/\*\*shop\*\* in staging is degraded\. It answers in/);
    const before = await bench.deployments.before(SERVICE);
    await shop.deploy('act_back', '1.0.0', { kind: 'rollback', fromArtifact: before?.deploymentId ?? '' });
    // Somebody who reads another language rolled it back: the one who was told of the trouble reads its end.
    await bench.jobs.pool.query(
      `insert into users (user_key, channel, name, role, language) values ('9001', 'telegram', 'Dora', 'operator', 'de')`,
    );
    await bench.jobs.pool.query(`update deployments set user_key = '9001' where deployment_id = 'act_back'`);
    await eventually(
      async () => {
        await one();
        return news();
      },
      (all) => all.length > 1,
      20_000,
    );
    expect((await news()).map(({ phase }) => phase)).toEqual(['opened', 'closed']);
    expect((await news())[1]?.say).toMatch(/healthy again after/);
  });

  it('is not reported while the service is muted, and is reported afterwards', async () => {
    await bench.services.mute(SERVICE, new Date(Date.now() + 60_000), ADA, 'act_mute');
    const look = openWatcher(bench);
    await fetchEnd();
    await eventually(
      async () => {
        await look();
        return listOpenIncidents(bench.jobs.pool);
      },
      (open) => open.length > 0,
      20_000,
    );
    expect(await news()).toHaveLength(2);
    expect(await listOpenIncidents(bench.jobs.pool)).toEqual([expect.objectContaining({ notified: null })]);
    await bench.services.mute(SERVICE, null, ADA, 'act_unmute');
    await eventually(
      async () => {
        await fetchEnd();
        await look();
        return news();
      },
      (all) => all.length > 2,
      20_000,
    );
    expect((await news())[2]?.phase).toBe('opened');
  });
});

describe('a service that is degraded and then goes down', () => {
  it('is reported again when it goes down after more than one bad probe, and is not reported as healthy', async () => {
    const till = await bench.shop('till');
    till.repository.release('1.0.0', program(0));
    await till.deploy('act_till', '1.0.0');
    const look = openWatcher(bench);
    const lookTwice = async (): Promise<readonly string[]> => {
      for (let n = 0; n < 2; n++) await Promise.all([look(), look()]);
      return (await news()).map((one) => one.say).filter((said) => said.includes('**till**'));
    };
    for (let n = 0; n < 25; n++) await till.serves('/log?text=ERROR+order+failed');
    const told = await eventually(lookTwice, (said) => said.length > 0, 20_000);
    expect(told).toEqual([expect.stringContaining('is degraded. Its log has 25 errors')]);

    // The flood lasts: had it been so for an hour, it would be usual.
    await bench.jobs.pool.query(
      `insert into error_minutes (project, environment, minute, count)
       select 'till', 'staging', date_trunc('minute', now()) - n * interval '1 minute', 25 from generate_series(6, 50) n`,
    );
    expect(await lookTwice()).toHaveLength(1);

    await till.serves('/status?is=503');
    await look();
    await till.serves('/status?is=200');
    expect(await lookTwice()).toHaveLength(1);

    await till.serves('/status?is=503');
    await eventually(lookTwice, (said) => said.length > 1, 20_000);
    expect(await lookTwice()).toEqual([told[0], expect.stringContaining('is down. It answers with status 503.')]);

    await till.serves('/status?is=200');
    await lookTwice();
    await bench.jobs.pool.query(`delete from error_minutes`);
    await eventually(lookTwice, (said) => said.length > 2, 20_000);
    expect((await lookTwice()).slice(2)).toEqual([expect.stringContaining('is healthy again')]);
  });
});

/** Ends the program, over and over, until it is no longer started again. */
async function fetchEnd(): Promise<void> {
  await shop.serves('/end').catch(() => '');
}
