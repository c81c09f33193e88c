import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScanProcess } from '@signalbox/analysis/scan/scan-process';
import { openOsvFolder } from '@signalbox/analysis/advisories/osv-folder';
import type { AdvisorySource } from '@signalbox/analysis/advisory-source';
import { OSV_RECORDS } from '../../fixtures/planted/dependencies/osv-records.ts';

const run = promisify(execFile);
let dir = '';
let commit = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asked-'));
  const git = async (...words: string[]): Promise<string> => (await run('git', ['-C', dir, ...words])).stdout.trim();
  await git('init', '-q');
  await writeFile(join(dir, 'requirements.txt'), 'PyYAML==5.3.1\n');
  await writeFile(join(dir, 'record.json'), OSV_RECORDS['PyPI/GHSA-8q59-q68h-6hv4.json'] ?? '');
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@a.dev', 'commit', '-q', '-m', 'one');
  commit = await git('rev-parse', 'HEAD');
});
afterAll(() => rm(dir, { recursive: true }));

const scan = async (advisories: AdvisorySource | null) => {
  const place = { dir: join(dir, '.git'), path: '/usr/local/bin:/usr/bin:/bin' };
  const opened = new ScanProcess(place, { cell: null, signal: AbortSignal.timeout(20_000), advisories });
  try {
    opened.open({ commit, folder: null, cache: {}, without: [] });
    const { result } = await opened.scan(['advisories']);
    return result.conclusions['advisories'];
  } finally {
    opened.close();
  }
};

describe('a scan in a separate process', () => {
  it('asks the source of advisories for vulnerabilities, and reports when there is no source', async () => {
    expect((await scan(openOsvFolder(dir)))?.found).toMatchObject([
      { rule: 'advisories/known-weakness', path: 'requirements.txt', values: { name: 'pyyaml', fixed: '5.4' } },
    ]);
    expect(await scan(null)).toMatchObject({ found: [], summary: { looked: false } });
  });
});
