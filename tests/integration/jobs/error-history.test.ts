import { HOUR_MS } from '@signalbox/contracts/time';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countErrors, listErrorGroups, type ErrorGroup } from '@signalbox/store/deploy/error-groups';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles } from '../../support/deploy-repository.ts';
import { eventually } from '../../support/until.ts';
import { openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';
import { openWatcher } from './watcher.ts';

/** Ends when it is asked to, and is unwell from then on when it is asked to be. */
const PROGRAM = {
  ...appFiles({}),
  'server.mjs': `
import { createServer } from 'node:http';
const { PORT, HOST, SIGNALBOX_RELEASE } = process.env;
let status = 200;
createServer((request, response) => {
  if (request.url === '/end') setTimeout(() => process.exit(7), 50);
  if (request.url === '/sick') status = 503;
  response.writeHead(request.url === '/health' ? status : 200, { 'x-release': SIGNALBOX_RELEASE });
  response.end('ok');
}).listen(Number(PORT), HOST);`,
};

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings());
});
afterAll(() => bench.close());

const errorsOf = async ({ project }: Shop, source: ErrorGroup['source']): Promise<readonly ErrorGroup[]> =>
  (await listErrorGroups(bench.jobs.pool, { project, since: new Date(0) }, 50)).filter((one) => one.source === source);

it('a service whose program writes no log gets a health sample from every probe', async () => {
  const shop = await bench.shop('quiet');
  shop.repository.release('v1', PROGRAM);
  await shop.deploy('act_q1', 'v1');
  const look = openWatcher(bench);
  for (let looks = 1; looks <= 3; looks++) {
    await look();
    const { rows } = await bench.jobs.pool.query<{ n: number }>(
      `select jsonb_array_length(health #> '{samples,0,latencies}') as n from services where project = 'quiet'`,
    );
    expect(rows[0]?.n).toBeGreaterThanOrEqual(looks);
  }
});

/** What writes the log of the one program that runs here: its pid, and the folder of the instance. */
async function findKeeper(targetsDir: string): Promise<{ readonly pid: number; readonly folder: string } | null> {
  for (const name of await readdir('/proc')) {
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const [, program, folder] = words;
    if (program?.startsWith(targetsDir) && program.endsWith('keeper.cjs') && folder?.includes('late'))
      return { pid: Number(name), folder };
  }
  return null;
}

describe('the error history', () => {
  it('contains the output of a failed deployment once, without secrets', async () => {
    const shop = await bench.shop('kettle');
    const begin = `console.error('Error: no kettle, token ghp_${'a1B2'.repeat(9)}'); process.exit(4);`;
    shop.repository.release('v1', appFiles({ begin }));
    expect(await shop.deploy('act_k1', 'v1')).toContain('❌');
    const first = await errorsOf(shop, 'deploy');
    expect(first.map(({ sample, count }) => [sample, count])).toEqual(
      expect.arrayContaining([
        [expect.stringMatching(/exit code 4/), 1],
        [expect.stringMatching(/^Error: no kettle/), expect.any(Number)],
      ]),
    );
    expect(JSON.stringify(first)).not.toContain('ghp_');
    // The run of what has ended is repeated: nothing is counted again.
    await bench.jobs.pool.query(
      `update runs set status = 'running', finished_at = null, beat_at = now() - interval '1 hour' where run_id = 'act_k1'`,
    );
    await eventually(
      () => bench.jobs.runs.find('act_k1'),
      (run) => run?.finishedAt != null,
    );
    expect(await errorsOf(shop, 'deploy')).toEqual(first);
    await shop.deploy('act_k2', 'v1');
    const [again] = (await errorsOf(shop, 'deploy')).filter(({ sample }) => sample.includes('exit code 4'));
    expect(again).toMatchObject({ count: 2, firstSeen: first[0]?.firstSeen });
    expect(again?.lastSeen.getTime()).toBeGreaterThan(again?.firstSeen.getTime() ?? 0);
    // It never served: what serves has no errors.
    expect(await countErrors(bench.jobs.pool, shop, 24 * HOUR_MS)).toBe(0);
  });

  it('contains the output of a failed deployment even when its log is written late', async () => {
    const shop = await bench.shop('late');
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);';
    shop.repository.release('v1', appFiles({ begin: `${wait} console.error('Error: no milk'); process.exit(4);` }));
    const deploying = shop.deploy('act_l1', 'v1');
    const keeper = await eventually(
      () => findKeeper(bench.targetsDir),
      (found) => found !== null,
      20_000,
    );
    process.kill(keeper?.pid ?? 0, 'SIGSTOP');
    await eventually(async () => existsSync(join(keeper?.folder ?? '', 'exit')), Boolean, 20_000);
    setTimeout(() => process.kill(keeper?.pid ?? 0, 'SIGCONT'), 1_000);
    expect(await deploying).toContain('Error: no milk');
    expect((await errorsOf(shop, 'deploy')).map(({ sample }) => sample)).toContain('Error: no milk');
  });

  it('contains a crash of the serving release once, with its exit code', async () => {
    const shop = await bench.shop('crasher');
    shop.repository.release('v1', PROGRAM);
    await shop.deploy('act_c1', 'v1');
    const look = openWatcher(bench);
    await look();
    expect(await errorsOf(shop, 'health')).toEqual([]);
    await shop.serves('/end');
    await eventually(
      async () => {
        await Promise.all([look(), look()]);
        return errorsOf(shop, 'health');
      },
      (found) => found.some(({ sample }) => sample.includes('crashed')),
    );
    await look();
    // Looks between its end and its next start may find it down, which is an error of its own.
    const crashes = (await errorsOf(shop, 'health')).filter(({ sample }) => sample.includes('crashed'));
    expect(crashes.map(({ sample, count }) => [sample, count])).toEqual([
      [expect.stringMatching(/^The program crashed \(exit code \w+\) and was started again\.$/), 1],
    ]);
  });

  it('contains an unhealthy service once per incident', async () => {
    const shop = await bench.shop('sick');
    shop.repository.release('v1', PROGRAM);
    await shop.deploy('act_s1', 'v1');
    const look = openWatcher(bench);
    await look();
    await shop.serves('/sick');
    await eventually(
      async () => {
        await look();
        return errorsOf(shop, 'health');
      },
      (found) => found.length > 0,
    );
    await look();
    expect(await errorsOf(shop, 'health')).toEqual([
      expect.objectContaining({
        count: 1,
        sample: 'It answers with status 503.',
        release: expect.stringMatching(/^v1-/),
      }),
    ]);
  });
});
