import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-commits-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: readonly string[]): void => {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
};
const commit = (subject: string): void => git('commit', '--allow-empty', '-m', subject);
const lint = (cwd = folder): { readonly code: number | null; readonly out: string } => {
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  copyFileSync(join(ROOT, '.commitlintrc.json'), join(cwd, '.commitlintrc.json'));
  const program = join(ROOT, 'infra/local/lint-commits.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { cwd, encoding: 'utf8', timeout: 60_000 });
  return { code: status, out: stdout + stderr };
};

test('no commit is checked outside of a git checkout', () => {
  expect(lint()).toMatchObject({ code: 0, out: expect.stringContaining('no git checkout') });
});

test('commits since the newest release are checked, and older commits are not', () => {
  git('init', '-q');
  commit('an old one');
  git('tag', 'v0.1.0');
  commit('Added a thing.');
  commit('fix(jobs): a slow job is told of once');
  const { code, out } = lint();
  expect(code).toBe(1);
  expect(out).toContain('Added a thing.');
  expect(out).not.toContain('an old one');
});

test('only the newest commit is checked in a shallow clone', () => {
  git('init', '-q', 'origin');
  const origin = join(folder, 'origin');
  git('-C', origin, 'commit', '--allow-empty', '-m', 'an old one');
  git('-C', origin, 'commit', '--allow-empty', '-m', 'fix(jobs): a slow job is told of once');
  git('clone', '-q', '--depth', '1', `file://${origin}`, 'clone');
  expect(lint(join(folder, 'clone')).code).toBe(0);
});
