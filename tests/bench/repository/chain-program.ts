/*
 * A job service that does nothing but run chains, as it was built: no loader runs in it or in its scans. A line of its standard input asks
 * for a run, and a line of its standard output says how long that took.
 */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { ChainName } from '@signalbox/contracts/repository/chains';
import { createSourceStore } from '@signalbox/jobs/git/sources';
import { createRepositoryChainHandler } from '@signalbox/jobs/jobs/repository-chain';
import { createRepositoryFetchHandler } from '@signalbox/jobs/jobs/operations';
import { ScanProcess } from '@signalbox/analysis/scan/scan-process';
import { openGitConfinement } from '@signalbox/jobs/sandbox/git-room';
import { openScanSandbox } from '@signalbox/jobs/sandbox/scan-room';
import { createLog } from '@signalbox/platform/log';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { openPool } from '@signalbox/store/pool';

const Settings = z.object({
  databaseUrl: z.string(),
  dir: z.string(),
  repositories: z.string(),
  path: z.string(),
  bubblewrap: z.object({ file: z.string(), libraryPath: z.string().nullable() }).nullable(),
});
const Asked = z.object({ runId: z.string(), project: z.string(), chain: ChainName });

const { databaseUrl, dir, repositories, path, bubblewrap } = Settings.parse(JSON.parse(process.argv[2] ?? ''));
const log = createLog('bench', 'silent');
const pool = openPool(databaseUrl, log, { name: 'bench', max: 4, as: 'owner' });
const cell = openScanSandbox(bubblewrap);
const gitCell = openGitConfinement({ program: bubblewrap, path, hidden: [] });
const hosts = { privateOnes: [], trustDir: null };
const handler = createRepositoryChainHandler(pool, {
  log,
  path,
  startScan: (place, signal) => new ScanProcess(place, { cell, signal }),
});
const sources = createSourceStore({ dir, repositoriesDirs: [repositories], closed: [], cell: gitCell, path, hosts });
const fetcher = createRepositoryFetchHandler(sources, createProjectStore(pool));
for await (const line of createInterface({ input: process.stdin })) {
  const { runId, ...payload } = Asked.parse(JSON.parse(line));
  const startedAt = performance.now();
  const context = {
    runId,
    attempt: 1,
    owner: null,
    signal: AbortSignal.timeout(600_000),
    log,
    now: () => new Date(),
    progress: () => Promise.resolve(),
    tell: () => Promise.resolve(),
    openSecret: () => Promise.resolve(''),
  };
  const wanted = { ...payload, ref: 'HEAD', isDry: false };
  const { status } = await handler.run({ ...wanted, fetched: await fetcher.run(wanted, context) }, context);
  process.stdout.write(`${JSON.stringify({ ms: performance.now() - startedAt, status })}\n`);
}
await pool.end();
