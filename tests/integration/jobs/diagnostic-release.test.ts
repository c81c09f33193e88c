import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { eventually } from '../../support/until.ts';
import { openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';

const found = await locateTestSandbox('looking into a release');

const SECRET = 'canary-of-another-folder';
const SERVICE = { project: 'shop', environment: 'staging' } as const;

describe.skipIf(found === null)("the folder of a service's release", () => {
  let bench: DeployBench;
  let shop: Shop;
  let release: string;
  let outside: string;
  let secret: string;
  let runs = 0;
  beforeAll(async () => {
    bench = await openDeployBench();
    await bench.jobs.startService(bench.settings({ ...found?.settings }));
    shop = await bench.shop('shop');
    shop.repository.release('1.0.0', {
      'signalbox.json': JSON.stringify({ start: ['node', 'server.mjs'], health: { path: '/', withinSeconds: 10 } }),
      'server.mjs': `
import { createServer } from 'node:http';
const { PORT, HOST, SIGNALBOX_RELEASE } = process.env;
createServer((request, response) => response.writeHead(200, { 'x-release': SIGNALBOX_RELEASE }).end('ok')).listen(Number(PORT), HOST);`,
    });
    await shop.deploy('act_one', '1.0.0');
    release = join(bench.targetsDir, 'shop/staging/act_one/artifact');
    outside = mkdtempSync(join(tmpdir(), 'outside-')); // its path has no word that asks
    secret = join(outside, 'notes.txt');
    writeFileSync(secret, `${SECRET}\n`);
    // What a deployed program could do to its own folder.
    symlinkSync(secret, join(release, 'link.txt'));
    symlinkSync(outside, join(release, 'up'));
    symlinkSync('/', join(release, 'root'));
  });
  afterAll(async () => {
    await bench.close();
    rmSync(outside, { recursive: true });
  });

  async function look(
    command: string,
    more: Partial<JobPayload<'diagnostic.run'>> = {},
  ): Promise<JobResult<'diagnostic.run'>> {
    runs += 1;
    const runId = `act_look_${runs}`;
    const { jobs } = bench;
    const payload = { server: 'local', command, onlyReads: true, service: SERVICE, actionId: runId, ...more };
    await enqueueRun(
      { runs: jobs.runs, queue: jobs.queue, log: createLog('test', 'silent') },
      { runId, job: 'diagnostic.run', payload, person: null, threadId: null, traceId: 'trc' },
    );
    const ended = await eventually(
      () => jobs.runs.find(runId),
      (row) => row?.status === 'done' || row?.status === 'failed',
      20_000,
    );
    if (ended?.status !== 'done') throw new Error(ended?.error ?? 'no run');
    return ended.result as JobResult<'diagnostic.run'>; // the job service has checked it
  }

  it('can be read by diagnostic commands', async () => {
    expect((await look('ls')).stdout).toContain('server.mjs');
    expect(await look("grep -c 'x-release' server.mjs")).toMatchObject({ code: 0, stdout: '1\n' });
    expect((await look('find . -type f -exec grep -l HOST {} + | sort')).stdout).toContain('./server.mjs');
  });

  it('cannot be left by a diagnostic command through a link, a path or a process', async () => {
    expect(readFileSync(join(release, 'link.txt'), 'utf8')).toContain(SECRET); // to whoever is not locked in
    const ways = [
      'cat link.txt',
      'cat up/notes.txt',
      `cat ${secret}`,
      `cat root${secret}`,
      'grep -h canary link.txt up/notes.txt',
      'find up/ -name notes.txt -exec cat {} +',
      'ls -la up/ root/',
      'tail -n 5 link.txt | tr a-y b-z',
      'ps aux',
    ];
    for (const way of ways) {
      const { stdout, stderr } = await look(way);
      expect([way, `${stdout}${stderr}`.includes(SECRET)]).toEqual([way, false]);
      expect([way, /bobsz-pg|notes\.txt\n|server\.mjs --|job-service/.test(stdout)]).toEqual([way, false]);
    }
  });

  it('cannot be read by a command that writes, on another server, or when a link replaces it', async () => {
    await expect(look('rm server.mjs')).rejects.toThrow(/I do not run that/);
    await expect(look('cat server.mjs > copy')).rejects.toThrow(/I do not run that/);
    await expect(look('sh -c ls', { onlyReads: false })).rejects.toThrow(/I do not run that/);
    await expect(look('ls', { server: 'elsewhere' })).rejects.toThrow(/runs on elsewhere/);
    renameSync(release, `${release}.away`);
    symlinkSync(outside, release);
    await expect(look('cat notes.txt')).rejects.toThrow(/cannot be read/);
  });
});
