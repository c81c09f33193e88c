import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openWorkspaceBench, readTree, type WorkspaceBench } from '../integration/jobs/workspace-bench.ts';

const bench: WorkspaceBench = await openWorkspaceBench({});
afterAll(() => bench.close());

const A = 'one\ntwo\nthree\nfour\nfive\n';
const B = 'alpha\nbeta\ngamma\n';

beforeEach(async () => {
  await bench.ask('workspace.list', { path: '.', depth: 1 });
  for (const [path, text] of Object.entries({ 'a.txt': A, 'src/b.txt': B, 'plain.txt': 'no end of line' })) {
    mkdirSync(join(bench.root, 'src'), { recursive: true });
    writeFileSync(join(bench.root, path), text);
  }
});

const lines = (...all: string[]): string => `${all.join('\n')}\n`;
const CHANGE_A = ['--- a/a.txt', '+++ b/a.txt', '@@ -1,3 +1,3 @@', ' one', '-two', '+TWO', ' three'];
const CHANGE_B = ['--- a/src/b.txt', '+++ b/src/b.txt', '@@ -2,2 +2,3 @@', ' beta', '+inserted', ' gamma'];
const CREATE = ['--- /dev/null', '+++ b/new/c.txt', '@@ -0,0 +1,2 @@', '+x', '+y'];
const apply = (diff: string, options: Parameters<WorkspaceBench['ask']>[2] = {}) =>
  bench.ask('workspace.apply', { diff }, options);

describe('a diff that fits', () => {
  it('changes, creates and deletes files together', async () => {
    const gone = [
      '--- a/plain.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-no end of line',
      '\\ No newline at end of file',
    ];
    const answer = await apply(lines(...CHANGE_A, ...CHANGE_B, ...CREATE, ...gone));
    expect(answer).toEqual({
      outcome: 'done',
      result: {
        files: [
          { path: 'a.txt', change: 'changed', added: 1, removed: 1 },
          { path: 'src/b.txt', change: 'changed', added: 1, removed: 0 },
          { path: 'new/c.txt', change: 'created', added: 2, removed: 0 },
          { path: 'plain.txt', change: 'deleted', added: 0, removed: 1 },
        ],
      },
    });
    expect(bench.tree()).toMatchObject({
      'a.txt': 'one\nTWO\nthree\nfour\nfive\n',
      'src/b.txt': 'alpha\nbeta\ninserted\ngamma\n',
      'new/c.txt': 'x\ny\n',
    });
    expect(Object.keys(bench.tree())).not.toContain('plain.txt');
  });

  it.each([
    ['without the last line break', lines(...CHANGE_A).trimEnd()],
    ["with git's headings", lines('diff --git a/a.txt b/a.txt', 'index 1111111..2222222 100644', ...CHANGE_A)],
    ["without git's letters", lines('--- a.txt', '+++ a.txt', ...CHANGE_A.slice(2))],
  ])('is accepted when it is written %s', async (_, diff) => {
    expect(await apply(diff)).toMatchObject({ outcome: 'done' });
    expect(bench.tree()['a.txt']).toBe('one\nTWO\nthree\nfour\nfive\n');
  });

  it('keeps the mode of a changed file', async () => {
    chmodSync(join(bench.root, 'a.txt'), 0o755);
    await apply(lines(...CHANGE_A));
    expect(statSync(join(bench.root, 'a.txt')).mode & 0o777).toBe(0o755);
    chmodSync(join(bench.root, 'a.txt'), 0o644);
  });

  it('that is applied twice with the same action id changes the files once and gives the same answer', async () => {
    const append = lines('--- a/a.txt', '+++ b/a.txt', '@@ -5,1 +5,2 @@', ' five', '+six');
    const first = await apply(append, { actionId: 'act_once' });
    await bench.jobs.pool.query(
      `update runs set status = 'queued', attempts = 0, result = null where run_id = 'act_once'`,
    );
    await bench.jobs.queue.enqueue('workspace.apply', { runId: 'act_once', traceId: 'trc_test' });
    expect(await apply(append, { actionId: 'act_once' })).toEqual(first);
    expect(bench.tree()['a.txt']).toBe(`${A}six\n`);
  });
});

const hunk = (...body: string[]): string => lines('--- a/a.txt', '+++ b/a.txt', ...body);
const git = (...headings: string[]): string => lines('diff --git a/a.txt b/a.txt', ...headings);

describe('a diff that cannot be applied changes nothing and gives the reason', () => {
  it.each([
    ['is stale', hunk('@@ -1,2 +1,2 @@', ' one', '-zwei', '+TWO'), /hunk 1 of a\.txt .* line 2/],
    [
      'is stale in its second hunk',
      hunk('@@ -1 +1 @@', '-one', '+ONE', '@@ -4 +4 @@', '-vier', '+4'),
      /hunk 2 of a\.txt/,
    ],
    ['fits, but elsewhere', hunk('@@ -2,2 +2,2 @@', ' one', '-two', '+TWO'), /hunk 1/],
    ['fits but for spaces', hunk('@@ -1,2 +1,2 @@', ' one ', '-two', '+TWO'), /hunk 1/],
    ['fits but for capitals', hunk('@@ -1,2 +1,2 @@', ' One', '-two', '+TWO'), /hunk 1/],
    ['begins after the end', hunk('@@ -40,1 +40,1 @@', '-x', '+y'), /begins at 40/],
    ['counts its lines wrongly', hunk('@@ -1,5 +1,1 @@', '-one', '+ONE'), /cannot be read/],
    ['is no diff', 'please change a.txt', /no part of a diff/],
    [
      'has a mistyped heading',
      hunk('@@ -1 +1 @@', '-one', '+ONE', '@ -4 +4 @@', '-four', '+4'),
      /line 6 of it|cannot be read/,
    ],
    ['has no hunk', lines('--- a/a.txt', '+++ b/a.txt'), /changes nothing/],
    ['names no file', lines('@@ -1 +1 @@', '-one', '+ONE'), /names no file/],
    [
      'changes a file that is not there',
      lines('--- a/no.txt', '+++ b/no.txt', '@@ -1 +1 @@', '-a', '+b'),
      /no\.txt does not exist/,
    ],
    ['creates a file that is there', lines('--- /dev/null', '+++ b/a.txt', '@@ -0,0 +1 @@', '+x'), /exists already/],
    [
      'deletes half of a file',
      lines('--- a/a.txt', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-one', '-two'),
      /not all of its lines/,
    ],
    ['renames', git('similarity index 100%', 'rename from a.txt', 'rename to z.txt'), /renames/],
    ['renames without saying so', lines('--- a/a.txt', '+++ b/z.txt', '@@ -1 +1 @@', '-one', '+ONE'), /renames/],
    ['changes a mode', git('old mode 100644', 'new mode 100755'), /mode/],
    [
      'makes a link',
      lines('diff --git a/l b/l', 'new file mode 120000', '--- /dev/null', '+++ b/l', '@@ -0,0 +1 @@', '+/etc'),
      /link/,
    ],
    [
      'makes a program',
      lines('diff --git a/p b/p', 'new file mode 100755', '--- /dev/null', '+++ b/p', '@@ -0,0 +1 @@', '+x'),
      /mode/,
    ],
    ['is binary', git('index 1..2 100644', 'GIT binary patch', 'literal 1', 'Ic${MZ000310RR91'), /binary/],
    ['only says that files differ', git('Binary files a/a.txt and b/a.txt differ'), /binary/],
    ['changes a file twice', lines(...CHANGE_A, ...CHANGE_A), /twice/],
    [
      'needs a file as a folder',
      lines('--- /dev/null', '+++ b/n', '@@ -0,0 +1 @@', '+x', '--- /dev/null', '+++ b/n/m', '@@ -0,0 +1 @@', '+x'),
      /cannot both/,
    ],
    ['differs in line ends', hunk('@@ -1,2 +1,2 @@', ' one\r', '-two\r', '+TWO\r'), /hunk 1/],
  ] as const)('because it %s', async (_, bad, why) => {
    const before = bench.tree();
    const answer = await apply(bad);
    expect(answer).toMatchObject({ refusal: { code: 'DIFF_REFUSED', data: { detail: expect.stringMatching(why) } } });
    expect(bench.tree()).toEqual(before);
    // After and before a good one: all or nothing.
    for (const diff of [lines(...CHANGE_B) + bad, `${bad.trimEnd()}\n${lines(...CHANGE_B)}`]) {
      expect(await apply(diff)).toMatchObject({ refusal: { code: 'DIFF_REFUSED' } });
      expect(bench.tree()).toEqual(before);
    }
  });

  it.each(['../out.txt', '/tmp/out.txt', '.git/hooks/pre-commit', 'linked/x.txt', 'link'])(
    'because it writes to %s, even when the rest of the diff fits',
    async (path) => {
      for (const name of ['link', 'linked']) {
        rmSync(join(bench.root, name), { force: true });
        symlinkSync(makeTemporaryFolder('elsewhere'), join(bench.root, name));
      }
      const before = bench.tree();
      const diff = lines(...CHANGE_A, '--- /dev/null', `+++ ${path}`, '@@ -0,0 +1 @@', '+x');
      expect(await apply(diff)).toMatchObject({ outcome: 'refused', refusal: { code: 'PATH_DENIED' } });
      expect(bench.tree()).toEqual(before);
    },
  );
});

describe('a process that is killed in the middle of a diff', () => {
  const diff = lines(...CHANGE_A, ...CHANGE_B, ...CREATE);
  const OLD = { 'a.txt': A, 'src/b.txt': B };
  const NEW = {
    'a.txt': 'one\nTWO\nthree\nfour\nfive\n',
    'src/b.txt': 'alpha\nbeta\ninserted\ngamma\n',
    'new/c.txt': 'x\ny\n',
  };

  it.each([
    ['staged', 1, OLD],
    ['written', 1, NEW],
    ['placed', 1, NEW],
    ['placed', 2, NEW],
    ['placed', 3, NEW],
    ['finished', 1, NEW],
  ] as const)(
    'at %s %i leaves every file complete for the next process, and repeating the diff succeeds',
    async (point, times, expected) => {
      const home = makeTemporaryFolder('killed');
      const dies = async (
        ...words: string[]
      ): Promise<{ code: number | null; signal: string | null; said: string }> => {
        const script = fileURLToPath(new URL('./workspace-apply.ts', import.meta.url));
        const child = spawn(
          process.execPath,
          ['--conditions=source', '--import', 'tsx', script, home, diff, ...words],
          {
            env: { PATH: loadTestConfig().path },
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        );
        let said = '';
        child.stdout.on('data', (chunk: Buffer) => {
          said += String(chunk);
          if (said.includes('reached')) child.kill('SIGKILL');
        });
        const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
        return { code, signal, said };
      };
      expect(await dies('apply', point, String(times))).toMatchObject({ signal: 'SIGKILL' });
      // Whoever comes next ends what was begun, before anything else.
      expect(await dies('recover')).toMatchObject({ code: 0 });
      expect(readTree(join(home, 'files/thread-k'), '')).toEqual(expected);
      const again = await dies('apply');
      expect(again).toMatchObject({ code: 0, said: expect.stringContaining('"path":"new/c.txt"') });
      expect(readTree(join(home, 'files/thread-k'), '')).toEqual(NEW);
    },
  );
});
