import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, readdirSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureUsage } from '@signalbox/jobs/workspace/quota';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openWorkspaceBench, type WorkspaceBench } from './workspace-bench.ts';

const sandbox = await locateTestSandbox('the quota of workspaces');
const LIMIT_MB = 8;
const MB = 1024 * 1024;
/** Makes folders in one another until the path of the last is longer than the kernel takes at once. */
const DEEP = 'for (1 .. 20) { mkdir "d" x 250; chdir "d" x 250 }';
const never = new AbortController().signal;

describe('the size of a workspace', () => {
  const used = async (root: string): Promise<number> => (await measureUsage(root, never)).usedBytes;

  it('is counted in blocks: empty files count, and hard links and holes do not', async () => {
    const root = makeTemporaryFolder('usage');
    expect(await used(root)).toBe(0);
    for (let i = 0; i < 100; i += 1) writeFileSync(join(root, `${i}`), '');
    expect(await used(root)).toBe(100 * 4096);
    writeFileSync(join(root, 'big'), Buffer.alloc(MB, 1));
    expect(await used(root)).toBe(100 * 4096 + MB);
    linkSync(join(root, 'big'), join(root, 'again'));
    expect(await used(root)).toBe(100 * 4096 + MB);
  });

  it('does not include the targets of links, and names unreadable folders', async () => {
    const root = makeTemporaryFolder('usage');
    symlinkSync('/usr', join(root, 'link'));
    expect(await measureUsage(root, never)).toMatchObject({ usedBytes: 4096, isHidden: false });
    execFileSync('perl', ['-e', DEEP], { cwd: root });
    try {
      expect(await measureUsage(root, never)).toMatchObject({ isHidden: true });
    } finally {
      execFileSync('rm', ['-rf', root]); // which Node cannot
    }
  });
});

describe('a workspace with a size limit', () => {
  let bench: WorkspaceBench;
  beforeAll(async () => {
    bench = await openWorkspaceBench({
      ...sandbox?.settings,
      WORKSPACE_LIMIT_MB: `${LIMIT_MB}`,
      WORKSPACE_RESERVE_MB: '1',
      SANDBOX_TMP_MB: '2',
    });
  });
  afterAll(() => bench.close());
  const shell = (script: string) =>
    bench.ask('workspace.run', { command: { kind: 'shell', script }, cwd: '.', deadlineMs: 40_000 });
  const usedMegabytes = async (): Promise<number> => (await measureUsage(bench.root, never)).usedBytes / MB;

  it.skipIf(sandbox === null)(
    'ends a command that writes endlessly, and its files can be deleted afterwards',
    async () => {
      const filled = await shell(
        'i=0; echo begun; while :; do dd if=/dev/zero of=f$i bs=256k count=1 2>/dev/null; i=$((i+1)); done',
      );
      expect(filled).toMatchObject({ outcome: 'done', result: { killed: 'workspace', output: 'begun\n' } });
      expect(await usedMegabytes()).toBeGreaterThan(LIMIT_MB);
      // Files that do not fit are refused, and nothing of them is there.
      const text = 'x'.repeat(10_000);
      expect(await bench.ask('workspace.write', { path: 'docs/new.txt', content: text })).toMatchObject({
        outcome: 'refused',
        refusal: {
          code: 'WORKSPACE_FULL',
          data: { detail: expect.stringMatching(/^it holds \d+ MB, and may hold 8 MB$/) },
        },
      });
      const diff = '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n';
      expect(bench.refusal(await bench.ask('workspace.apply', { diff }))).toBe('WORKSPACE_FULL');
      expect(existsSync(join(bench.root, 'new.txt'))).toBe(false);
      // What grows is ended again; what deletes is not.
      const again = await shell('while :; do i=$((i+1)); echo > g$i; done');
      expect(again).toMatchObject({ result: { killed: 'workspace' } });
      expect(await shell('rm -f f* g*; sleep 0.5; echo gone')).toMatchObject({
        result: { killed: null, output: 'gone\n' },
      });
      expect(await bench.ask('workspace.apply', { diff })).toMatchObject({ outcome: 'done' });
      expect(await bench.ask('workspace.write', { path: 'docs/new.txt', content: text })).toMatchObject({
        outcome: 'done',
      });
    },
  );

  it('lets a file be replaced by a smaller one when it is full', async () => {
    await bench.ask('workspace.write', { path: 'long.txt', content: 'x'.repeat(2_000) });
    writeFileSync(join(bench.root, 'filler'), Buffer.alloc((LIMIT_MB + 1) * MB, 1));
    expect(bench.refusal(await bench.ask('workspace.write', { path: 'long.txt', content: 'x'.repeat(2_001) }))).toBe(
      'WORKSPACE_FULL',
    );
    expect(await bench.ask('workspace.write', { path: 'long.txt', content: 'short\n' })).toMatchObject({
      outcome: 'done',
      result: { sizeBytes: 6 },
    });
    const diff = '--- a/long.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-short\n';
    expect(await bench.ask('workspace.apply', { diff })).toMatchObject({ outcome: 'done' });
    writeFileSync(join(bench.root, 'filler'), '');
  });

  it.skipIf(sandbox === null)('limits the size of a file that a command writes to the free space', async () => {
    const ran = await shell('head -c 20000000 /dev/zero > one; wc -c < one; rm one');
    const output = JSON.stringify(ran);
    const size = Number(/(\d+)\\n"/.exec(output)?.[1]);
    expect([output, size > MB && size <= LIMIT_MB * MB]).toEqual([output, true]);
  });

  it.skipIf(sandbox === null)('ends a command that fills it with files that cannot be counted', async () => {
    // As another user than root nobody looks into such a folder; as root, a path that is too long does the same.
    const ran = await shell(`perl -e '${DEEP}'; echo begun; while :; do sleep 0.05; done`);
    expect(ran).toMatchObject({ result: { killed: 'workspace', output: 'begun\n' } });
    expect(bench.refusal(await bench.ask('workspace.write', { path: 'x', content: 'x' }))).toBe('WORKSPACE_FULL');
    expect(await shell('rm -rf dddd*; echo gone')).toMatchObject({ result: { killed: null, output: 'gone\n' } });
    expect(readdirSync(bench.root).filter((name) => name.startsWith('d') && name !== 'docs')).toEqual([]);
    expect(await bench.ask('workspace.write', { path: 'x', content: 'x' })).toMatchObject({ outcome: 'done' });
  });

  it.skipIf(sandbox === null)('limits the size of each temporary folder of a command', async () => {
    const ran = await shell(
      'for d in /tmp /dev/shm ~; do for i in 1 2 3; do head -c 1000000 /dev/zero > $d/$i || echo full; done; done 2>/dev/null',
    );
    expect(ran).toMatchObject({ result: { killed: null, output: 'full\nfull\nfull\n' } });
  });
});

describe.skipIf(sandbox === null)('on a disk that is nearly full', () => {
  let bench: WorkspaceBench;
  /** Beyond what files of this machine grow by otherwise while the test runs. */
  const LEFT_MB = 300;
  beforeAll(async () => {
    const { bavail, bsize } = statfsSync(makeTemporaryFolder('disk'));
    const reserve = Math.max(Math.floor((bavail * bsize) / MB) - LEFT_MB, 0);
    bench = await openWorkspaceBench({ ...sandbox?.settings, WORKSPACE_RESERVE_MB: `${reserve}` });
  });
  afterAll(() => bench.close());

  it('a command is ended even when it fills the disk with deleted files', async () => {
    const script = `echo begun; while :; do exec 3>x; rm x; head -c 20000000 /dev/zero >&3; sleep 60 3>&3 & done`;
    const ran = await bench.ask('workspace.run', { command: { kind: 'shell', script }, cwd: '.', deadlineMs: 40_000 });
    expect(ran).toMatchObject({ result: { killed: 'disk', output: 'begun\n' } });
    expect((await measureUsage(bench.root, never)).usedBytes).toBeLessThan(MB);
  });
});
