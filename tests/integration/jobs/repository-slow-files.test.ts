import { join } from 'node:path';
import { createRepositoryChainHandler } from '@signalbox/jobs/jobs/repository-chain';
import { ScanProcess } from '@signalbox/analysis/scan/scan-process';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { openRepositoryBench, type RepositoryBench } from './repository-bench.ts';

/** Our own patterns take linear time: here each takes for ever over this text, as one would that does not. */
const ENDLESS = `data:text/javascript,${encodeURIComponent(
  `const exec=RegExp.prototype.exec;RegExp.prototype.exec=function(text){while(String(text).includes('//for-ever.'));return exec.call(this,text)}`,
)}`;

let bench: RepositoryBench;
beforeAll(async () => {
  bench = await openRepositoryBench({ isServed: false });
});
afterAll(() => bench.close());

it('a file that takes too long to analyze is skipped and named, and the other files are scanned', async () => {
  const commit = bench.commit({
    'hostile.sh': 'curl http://for-ever.example/\n',
    'install.sh': 'curl http://example.com/install.sh | sh\n',
  });
  const { pool } = bench.jobs;
  const chain = createRepositoryChainHandler(pool, {
    log: createLog('test', 'silent'),
    path: loadTestConfig().path,
    startScan: (place, signal) =>
      new ScanProcess(place, { cell: null, signal, fileMs: 3_000, nodeWords: [`--import=${ENDLESS}`] }),
  });
  const context = {
    runId: 'r1',
    owner: null,
    signal: AbortSignal.timeout(50_000),
    progress: () => Promise.resolve(),
    tell: () => Promise.resolve(),
  } as unknown as JobContext; // what the handler touches of it
  const fetched = { mirror: join(bench.folder, '.git'), commit, folder: null, problem: null };
  const result = await chain.run(
    { project: 'shop', chain: 'security_scan', ref: 'HEAD', isDry: false, fetched },
    context,
  );
  expect(result).toMatchObject({ status: 'completed', left: [] });
  expect(result.unseen).toContain('1 file that took too long to read (hostile.sh)');
  expect(result.unseen.join()).not.toContain('install.sh');
  expect(await bench.list()).toContainEqual(expect.stringMatching(/risk\/remote-script install\.sh/));
});
