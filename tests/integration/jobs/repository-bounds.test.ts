import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '@signalbox/contracts/errors';
import { AgentClass } from '@signalbox/contracts/governance/action';
import { StepFiles } from '@signalbox/analysis/chain/step-files';
import { createChainStore } from '@signalbox/jobs/jobs/repository-records';
import { ANALYZERS } from '@signalbox/analysis/analyzers/analyzers';
import { scanCommit } from '@signalbox/analysis/scan/scan';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
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
/** What even the class that changes code may not write. */
const PROTECTED = ['.git/hooks/pre-commit', '.github/workflows/x.yml', 'src/../.gitlab-ci.yml', 'CODEOWNERS'];
/** Where each other class that writes may not. */
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

/** Whether a folder of this machine can be mounted into another one: that takes root, and a kernel that lets it. */
const canMount = tryMount();

let bench: RepositoryBench;
let commit = '';

describe("a repository agent's file access", () => {
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

  const filesOf = async (agentClass: AgentClass): Promise<StepFiles> => {
    const { pool } = bench.jobs;
    const runId = `run_${agentClass}`;
    const run = await createChainRunStore(pool).begin({
      runId,
      project: bench.project,
      chain: 'tech_debt',
      ref: 'HEAD',
      isDry: false,
      userKey: null,
    });
    const open = { run, chain: 'tech_debt' as const, mirror: join(bench.folder, '.git'), commit, folder: null };
    const rest = { actor: 'system', threadId: null, before: null, signal: AbortSignal.timeout(60_000) };
    const deps = { records: createChainStore(pool), path: loadTestConfig().path };
    return new StepFiles(deps, { ...open, ...rest }, { name: 'hostile', stepClass: agentClass });
  };

  it("stays within the bounds of the agent's class in hundreds of attempts, and each attempt is audited", async () => {
    let attempts = 0;
    for (const agentClass of AgentClass.options) {
      const files = await filesOf(agentClass);
      for (const path of OUTSIDE.flatMap(spellings)) {
        await expect(files.read(path), `${agentClass} reads ${path}`).rejects.toMatchObject({ code: 'PATH_DENIED' });
        attempts += 1;
      }
      const bad = [
        // A document in the place of a link would replace the link, and chains have no class that may.
        ...OUTSIDE.slice(0, agentClass === 'ENGINEERING' ? 7 : 8),
        ...(agentClass === 'ENGINEERING' ? PROTECTED : [...NOT_ITS_OWN, 'var/artifacts/../../src/x']),
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
    expect(await countDenials()).toBe(attempts);
  });

  it("is allowed within the bounds of the agent's class", async () => {
    bench.commit({ 'src/main.ts': 'export {};\n' });
    commit = bench.git('rev-parse', 'HEAD');
    const files = await filesOf('WRITE_GATED');
    expect(await files.read('src/main.ts')).toBe('export {};\n');
    await files.write('var/artifacts/report.md', 'key ghp_0123456789abcdefghijABCDEFGHIJ012345', 'text/markdown');
    expect(files.documents).toMatchObject([{ path: 'var/artifacts/report.md' }]);
    expect(files.documents[0]?.text).not.toContain('ghp_0123456789');
    await files.close();
  });

  it('returns the committed content and not a changed file or a hard link', async () => {
    const secret = join(makeTemporaryFolder('machine'), 'secret');
    writeFileSync(secret, 'of this machine\n');
    bench.commit({ 'plain/a.txt': 'committed\n', 'plain/b.txt': 'committed too\n' });
    commit = bench.git('rev-parse', 'HEAD');
    // A hard link is a second name of a file of the disk. Git keeps contents and not files, and only git's objects are read here: there is
    // no name by which the other file could be reached.
    rmSync(join(bench.folder, 'plain/a.txt'));
    linkSync(secret, join(bench.folder, 'plain/a.txt'));
    writeFileSync(join(bench.folder, 'plain/b.txt'), 'changed\n');
    linkSync(secret, join(bench.folder, 'plain/new.txt'));
    const files = await filesOf('READ_ONLY_SCAN');
    expect(await files.read('plain/a.txt')).toBe('committed\n');
    expect(await files.read('plain/b.txt')).toBe('committed too\n');
    await denies(files, ['plain/new.txt']);
    await files.close();
    // A commit of a hard link stores the content that the file has at that moment.
    bench.git('add', 'plain/a.txt');
    bench.git('commit', '--quiet', '--message', 'a hard link');
    commit = bench.git('rev-parse', 'HEAD');
    writeFileSync(secret, 'changed on this machine\n');
    expect(readFileSync(join(bench.folder, 'plain/a.txt'), 'utf8')).toBe('changed on this machine\n');
    const later = await filesOf('READ_ONLY_SCAN');
    expect(await later.read('plain/a.txt')).toBe('of this machine\n');
    await later.close();
  });

  it.skipIf(!canMount)('cannot read a folder that is mounted into the repository', async () => {
    bench.commit({ 'mounted/c.txt': 'committed\n' });
    commit = bench.git('rev-parse', 'HEAD');
    const place = join(bench.folder, 'mounted');
    execFileSync('mount', ['--bind', '/etc', place]);
    try {
      expect(readFileSync(join(place, 'passwd'), 'utf8')).toContain('root');
      const files = await filesOf('READ_ONLY_SCAN');
      expect(await files.read('mounted/c.txt')).toBe('committed\n');
      await denies(files, ['mounted/passwd', 'mounted/hostname', 'mounted']);
      await files.close();
    } finally {
      execFileSync('umount', [place]);
    }
  });

  it('keeps names apart that a file system may merge, and never leaves the commit', async () => {
    const twins = { composed: 'caf\u00e9.txt', apart: 'cafe\u0301.txt' };
    commit = commitPaths([
      ['100644', 'SRC/Main.ts', blobOf('SRC')],
      ['100644', 'src/main.ts', blobOf('src')],
      ['100644', twins.composed, blobOf('composed')],
      ['100644', twins.apart, blobOf('apart')],
      ['120000', 'Linked', blobOf('/etc')],
      ['100644', 'linked/passwd', blobOf('plain')],
      ['160000', 'Module', '1'.repeat(40)],
      ['100644', 'module/file', blobOf('plain')],
    ]);
    const files = await filesOf('WRITE_GATED');
    expect(await files.read('SRC/Main.ts')).toBe('SRC');
    expect(await files.read('src/main.ts')).toBe('src');
    expect(await files.read(twins.composed)).toBe('composed');
    // Only the link and the submodule lead elsewhere; what merely looks like them is a file of the commit.
    expect(await files.read('linked/passwd')).toBe('plain');
    expect(await files.read('module/file')).toBe('plain');
    await denies(files, ['SRC/main.ts', 'src/Main.ts', 'Src/main.ts', twins.apart, 'CAF\u00c9.txt']);
    await denies(files, ['Linked', 'Linked/passwd', 'LINKED/passwd', 'Module', 'Module/file', 'Module/.git/config']);
    // Where nothing may be written, nothing may be by another case.
    for (const path of ['SRC/x', 'Src/x', 'VAR/artifacts/x', 'Var/Artifacts/x', 'DOCS/x'])
      await expect(files.write(path, 'x', 'text/plain'), `${path}`).rejects.toMatchObject({ code: 'PATH_DENIED' });
    await files.close();
  });

  it('is not misled by a forged tree with .git aliases, `..`, slashes or empty names', async () => {
    const odd = [
      '.git',
      '.GIT',
      '.git ',
      '.git.',
      '.git\u200c',
      'git~1',
      'GIT~1',
      '.git::$INDEX_ALLOCATION',
      '..',
      '.',
      '...',
    ];
    const slashes = ['../../../etc/passwd', '/etc/passwd', 'a/../../x', './x', 'a//b', '\\etc\\passwd', 'C:\\x'];
    const config = rawTree([['100644', 'config', blobOf('of the tree')]]);
    commit = commitOf(
      rawTree([
        ...odd.map((name) => ['40000', name, config] as const),
        ...slashes.map((name) => ['100644', name, blobOf('of the tree')] as const),
        ['100644', 'plain.txt', blobOf('plain')],
      ]),
    );
    const files = await filesOf('READ_ONLY_SCAN');
    expect(await files.read('plain.txt')).toBe('plain');
    const [before, reads] = [await countDenials(), [] as unknown[]];
    for (const path of [...odd.map((name) => `${name}/config`), ...odd, ...slashes]) {
      // Denied, or the content that the tree itself has by that name: never one of the machine.
      const read = await files.read(path).catch((error: unknown) => (error instanceof AppError ? error.code : error));
      expect(['of the tree', 'PATH_DENIED'], `${path}`).toContain(read);
      reads.push(read);
    }
    expect(await countDenials()).toBe(before + reads.filter((read) => read === 'PATH_DENIED').length);
    await denies(files, ['../config', '..', '../../../etc/passwd', '/etc/passwd', 'a/../../x', '.git\u200c/config']);
    await files.close();
    // Neither is a scan, which sees each as one more file.
    const mirror = {
      dir: join(bench.folder, '.git'),
      path: loadTestConfig().path,
      signal: AbortSignal.timeout(60_000),
    };
    const { result } = await scanCommit(mirror, { commit, folder: null }, ANALYZERS);
    expect(result.files).toBe(odd.length + slashes.length + 1);
    expect(JSON.stringify(result)).not.toContain('root:x:0:0');
  });
});

/** Each of these is denied, and each denial is in the audit. */
async function denies(files: StepFiles, paths: readonly string[]): Promise<void> {
  const before = await countDenials();
  for (const path of paths)
    await expect(files.read(path), `reads ${path}`).rejects.toMatchObject({ code: 'PATH_DENIED' });
  expect(await countDenials()).toBe(before + paths.length);
}

async function countDenials(): Promise<number> {
  const { rows } = await bench.jobs.pool.query<{ n: number }>(
    `select count(*)::int as n from audit_events where kind = 'file.denied'`,
  );
  return rows[0]?.n ?? 0;
}

function hashObject(kind: 'blob' | 'tree' | 'commit', bytes: Buffer | string): string {
  // Without a look at whether it makes sense.
  const words = ['hash-object', '-t', kind, '-w', '--stdin', '--literally'];
  return execFileSync('git', words, { cwd: bench.folder, input: bytes, env: { PATH: loadTestConfig().path } })
    .toString()
    .trim();
}

const blobOf = (text: string): string => hashObject('blob', text);

/** A tree as it stands here: git itself would refuse to make most of these. */
function rawTree(entries: readonly (readonly [mode: string, name: string, id: string])[]): string {
  const rows = entries.map(([mode, name, id]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
  return hashObject('tree', Buffer.concat(rows));
}

/** A commit of these paths and nothing else, past the folder, which need not be able to hold them. */
function commitPaths(entries: readonly (readonly [mode: string, path: string, id: string])[]): string {
  bench.git('read-tree', '--empty');
  for (const [mode, path, id] of entries) bench.git('update-index', '--add', '--cacheinfo', `${mode},${id},${path}`);
  return commitOf(bench.git('write-tree'));
}

function commitOf(tree: string): string {
  return bench.git('commit-tree', tree, '-m', 'odd');
}

function tryMount(): boolean {
  const [from, to] = [makeTemporaryFolder('mount-from'), makeTemporaryFolder('mount-to')];
  try {
    execFileSync('mount', ['--bind', from, to], { stdio: 'pipe' });
    execFileSync('umount', [to]);
    return true;
  } catch (error) {
    if (loadTestConfig().ci) throw new Error('nothing can be mounted here', { cause: error });
    const why = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    console.warn(`\nNOT RUN: what is mounted into a repository. Nothing can be mounted here: ${why}\n`);
    return false;
  }
}
