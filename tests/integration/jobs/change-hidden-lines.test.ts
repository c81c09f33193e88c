import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { commitDiff } from '@signalbox/jobs/forges/commit-diff';
import { createGit } from '@signalbox/jobs/git/git';
import { redactText } from '@signalbox/safety/redact/redact';
import { describe, expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { makeRepository } from '../../support/deploy-repository.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { writeCleanDiff } from '@signalbox/jobs/engineering/clean-diff';
import { fitDiff } from '@signalbox/jobs/engineering/fit-diff';
import { applyNodeDiff, readTree } from '@signalbox/jobs/engineering/node-tools';

const SECRET = 'secret_key="tOp-5ecret-kEy-91x"';
const FILE = `import pytest


class TestTimed:
    def signer(self):
        return partial(Signer, ${SECRET})

    def test_one(self):
        assert 1
        assert 2
`;

function open(text: string) {
  const now = new Map([['test_timed.py', text]]);
  return {
    now,
    root: '/',
    folder: null,
    read: async (path: string) => now.get(path) ?? null,
    list: async () => [...now.keys()],
    apply: async (_: string, files: Awaited<ReturnType<typeof fitDiff>>) => {
      for (const { path, after } of files) now.set(path, after ?? '');
    },
    diff: () => writeCleanDiff([{ path: 'test_timed.py', before: text, after: now.get('test_timed.py') ?? null }]),
    edits: () => [],
  };
}

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, args, hadSecret: false });
const HUNK = `--- a/test_timed.py
+++ b/test_timed.py
@@ -5,4 +5,5 @@
     def signer(self):
         return partial(Signer, secret_key="[secret]")
 
     def test_one(self):
+        assert 0
`;

describe('a line whose value a node does not see', () => {
  it('is named as hidden when a file is read and searched', async () => {
    const tree = open(FILE);
    expect(redactText(FILE)).toContain('secret_key="[secret]"');
    expect(await readTree(tree, call('read_file', { path: 'test_timed.py' }))).toMatchObject({
      hidden: expect.stringContaining('1 line has a value that may be secret') as string,
    });
    const found = await readTree(tree, call('search', { text: 'signer' }));
    expect(JSON.stringify(found)).toContain(
      'test_timed.py:6:         return partial(Signer, secret_key=\\"[secret]\\")',
    );
    expect(found).toMatchObject({ hidden: expect.stringContaining('[secret]') as string });
    expect(await readTree(tree, call('search', { text: 'assert' }))).not.toHaveProperty('hidden');
  });

  it('fits as context of a diff, and keeps its value in the file', async () => {
    const tree = open(FILE);
    expect(await applyNodeDiff(tree, call('apply_diff', { diff: HUNK }), 'diff-1')).toMatchObject({ applied: [{}] });
    expect(tree.now.get('test_timed.py')).toBe(FILE.replace('        assert 1', '        assert 0\n        assert 1'));
  });

  it('is not in the diff that people see, which git applies all the same', async () => {
    const tree = open(FILE);
    await applyNodeDiff(tree, call('apply_diff', { diff: HUNK }), 'diff-1');
    const diff = tree.diff();
    expect(diff).not.toContain('5ecret');
    expect(redactText(diff)).toBe(diff);
    const repository = makeRepository(join(makeTemporaryFolder('hidden'), 'shop'));
    const base = repository.release('1.0', { 'test_timed.py': FILE });
    const git = createGit({ path: loadTestConfig().path, home: repository.folder });
    const mirror = join(repository.folder, '.git');
    const order = { base, diff, message: 'Test more', at: new Date('2026-01-01') };
    const commit = await commitDiff(git, mirror, order, new AbortController().signal);
    const words = ['--git-dir', mirror, 'show', `${commit}:test_timed.py`];
    const committed = execFileSync('git', words, { encoding: 'utf8', env: { PATH: loadTestConfig().path } });
    expect(committed).toBe(tree.now.get('test_timed.py'));
  });

  it.each([
    ['removed', HUNK.replace(' '.repeat(9) + 'return', `-${' '.repeat(8)}return`)],
    ['added', HUNK.replace('assert 0', 'key = "[secret]"')],
  ])('is refused with a clear word when it is %s', async (_, diff) => {
    const tree = open(FILE);
    const refused = await applyNodeDiff(tree, call('apply_diff', { diff }), 'diff-1');
    expect(JSON.stringify(refused)).toContain('whose real value you do not see');
    expect(tree.now.get('test_timed.py')).toBe(FILE);
  });

  it('that is the word itself in the file is a line like any other', async () => {
    const before = 'a\nprint("[secret]")\nb\n';
    const diff = '--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a\n-print("[secret]")\n+print("[secret]!")\n b\n';
    const [file] = await fitDiff(diff, async () => before);
    expect(file?.after).toBe('a\nprint("[secret]!")\nb\n');
  });
});

it('a search says how many hits it leaves out', async () => {
  const tree = open(Array.from({ length: 200 }, (_, at) => `  const port${at} = 80;`).join('\n'));
  const found = (await readTree(tree, call('search', { text: 'port' }))) as { readonly lines: string };
  expect(found.lines).toMatch(/^60 of 200;/);
  expect(JSON.stringify(found)).toContain('test_timed.py:1:   const port0');
});
