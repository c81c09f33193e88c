import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentClass } from '@signalbox/contracts/governance/action';
import { AgentFiles } from '@signalbox/jobs/repository/agent-files';
import { createChainRuns } from '@signalbox/store/repository/chain-runs';
import { loadTestConfig } from '../../support/config.ts';
import { openRepositoryBench, type RepositoryBench } from './repository-bench.ts';

/** Other spellings of a path, each of which some system takes for the same. */
function spellings(path: string): readonly string[] {
  return [
    path,
    `./${path}`,
    `x/../${path}`,
    path.replaceAll('/', '//'),
    path.toUpperCase(),
    path.replaceAll('/', '\\'),
    `${path}\0.md`,
    `${path}\u200b`,
    `\u202e${path}`,
    path.normalize('NFD'),
    `${path}.`,
    `${path} `,
    encodeURIComponent(path),
  ];
}

/** Places that no agent may read or write, whatever its class. */
const OUTSIDE = [
  '../../../etc/passwd',
  '/etc/passwd',
  '~/.ssh/id_rsa',
  '.git/config',
  '.git/hooks/post-checkout',
  '.GIT/config',
  'git~1/config',
  'link',
  'link/passwd',
  'up',
  'up/other/file',
  'module',
  'module/file',
  'sub/../../outside',
  '/proc/self/environ',
  'dev/../../../dev/mem',
];
/** Where each class that writes may not. */
const NOT_ITS_OWN = [
  'src/main.ts',
  'docs/a.md',
  'package.json',
  'README.md',
  'configs/x',
  'tests/t',
  'var',
  'prompts',
  '.',
];

describe('what an agent reads and writes', () => {
  let bench: RepositoryBench;
  let commit = '';
  beforeAll(async () => {
    bench = await openRepositoryBench({ isServed: false });
    symlinkSync('/etc', join(bench.folder, 'link'));
    symlinkSync('..', join(bench.folder, 'up'));
    bench.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
    bench.git('add', 'link', 'up');
    bench.git('commit', '--quiet', '--message', 'links');
    commit = bench.git('rev-parse', 'HEAD');
  });
  afterAll(() => bench.close());

  const filesOf = async (agentClass: AgentClass): Promise<AgentFiles> => {
    const { pool } = bench.jobs;
    const runId = `run_${agentClass}`;
    const run = await createChainRuns(pool).begin({
      runId,
      project: bench.project,
      chain: 'tech_debt',
      ref: 'HEAD',
      isDry: false,
      userKey: null,
    });
    const open = { run, chain: 'tech_debt' as const, mirror: join(bench.folder, '.git'), commit, folder: null };
    const rest = { actor: 'system', threadId: null, before: null, signal: AbortSignal.timeout(60_000) };
    return new AgentFiles({ pool, path: loadTestConfig().path }, { ...open, ...rest }, { name: 'hostile', agentClass });
  };

  it('stays within its class by hundreds of attempts, each of which is in the audit', async () => {
    let attempts = 0;
    for (const agentClass of AgentClass.options) {
      const files = await filesOf(agentClass);
      for (const path of OUTSIDE.flatMap(spellings)) {
        await expect(files.read(path), `${agentClass} reads ${path}`).rejects.toMatchObject({ code: 'PATH_DENIED' });
        attempts += 1;
      }
      const bad = [
        ...OUTSIDE.slice(0, 8),
        ...NOT_ITS_OWN,
        'var/artifacts/../../src/x',
        'var/artifacts/../../../etc/cron.d/x',
      ];
      for (const path of bad) {
        await expect(files.write(path, 'x', 'text/plain'), `${agentClass} writes ${path}`).rejects.toMatchObject({
          code: 'PATH_DENIED',
        });
        attempts += 1;
      }
      expect(files.documents).toEqual([]);
      await files.close();
    }
    expect(attempts).toBeGreaterThan(300);
    const { rows } = await bench.jobs.pool.query(
      `select count(*)::int as n from audit_events where kind = 'file.denied'`,
    );
    expect(rows).toEqual([{ n: attempts }]);
  });

  it('may be what lies within it', async () => {
    bench.commit({ 'src/main.ts': 'export {};\n' });
    commit = bench.git('rev-parse', 'HEAD');
    const files = await filesOf('WRITE_GATED');
    expect(await files.read('src/main.ts')).toBe('export {};\n');
    await files.write('var/artifacts/report.md', 'key ghp_0123456789abcdefghijABCDEFGHIJ012345', 'text/markdown');
    expect(files.documents).toMatchObject([{ path: 'var/artifacts/report.md' }]);
    expect(files.documents[0]?.text).not.toContain('ghp_0123456789');
    await files.close();
  });
});
