import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findChecks } from '@signalbox/jobs/engineering/check-plan';
import { failsBefore, runChecks, type CheckOutcome } from '@signalbox/jobs/engineering/checks';
import { COMMAND_LIMITS } from '@signalbox/jobs/sandbox/limits';
import { openSandbox, type Sandbox } from '@signalbox/jobs/sandbox/sandbox';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// What a node and a person learn of the build and the tests of a change. No command here reaches a network.

let sandbox: Sandbox;
beforeAll(async () => {
  const { BWRAP_PATH: file = '', BWRAP_LIBRARY_PATH: libraryPath = null } = (await openTestConfinement()).settings;
  // One MB in memory: what needs more has to be on the disk.
  const limits = { ...COMMAND_LIMITS, scratchBytes: 1024 * 1024 };
  sandbox = await openSandbox({ program: { file, libraryPath }, limits });
  if (sandbox.problem !== null) throw new Error(sandbox.problem);
}, 120_000);

type Files = Readonly<Record<string, string>>;

function lay(files: Files) {
  const home = makeTemporaryFolder('checks');
  const root = join(home, 'tree');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const read = async (path: string) => (path in files ? readFileSync(join(root, path), 'utf8') : null);
  return { home, root, folder: null, list: async () => Object.keys(files), read };
}

async function check(files: Files): Promise<CheckOutcome> {
  const tree = lay(files);
  const deps = { sandbox, door: null, home: tree.home };
  return runChecks(deps, { ...tree, undo: [] }, await findChecks(tree), new AbortController().signal);
}

const build = (...lines: readonly string[]) => lines.map((line) => ['/bin/sh', '-c', line]);
const service = (commands: object): string => JSON.stringify(commands);

describe('the checks of a change', { timeout: 120_000 }, () => {
  it('in which unittest ran no test have not passed', async () => {
    const outcome = await check({ 'tests/test_it.py': 'def test_it():\n    assert True\n' });
    expect(outcome).toMatchObject({ isTested: false, isGood: false });
    expect(outcome.checks).toMatchObject([{ command: 'python3 -m unittest discover -q', killed: 'no tests ran' }]);
    expect(outcome.output).toContain('Ran 0 tests');
  });

  it('in which a test ran have passed', async () => {
    const text = 'import unittest\nclass T(unittest.TestCase):\n    def test_it(self): pass\n';
    expect(await check({ 'test_it.py': text })).toMatchObject({ isTested: true, isGood: true });
  });

  it.each([
    ['a program', ['no-such-runner', '--all'], 'no-such-runner'],
    [
      'pytest',
      ['python3', '-c', 'import sys; sys.exit("python3: No module named pytest")'],
      'the Python module pytest',
    ],
  ])('say that the sandbox lacks %s, and that no test ran', async (_, words, lacked) => {
    const outcome = await check({ 'signalbox.json': service({ test: [words] }) });
    expect(outcome).toMatchObject({ isTested: false, isGood: false });
    expect(outcome.output).toContain(`The sandbox of this machine lacks ${lacked}.`);
    expect(outcome.output).toContain('[no tests ran, exit code ');
  });

  it('have tested when one of several runners is missing and another ran tests', async () => {
    const outcome = await check({ 'signalbox.json': service({ test: build('echo "ok 1 it adds"; no-such-runner') }) });
    expect(outcome).toMatchObject({ isTested: true, isGood: false });
  });

  it('have a home folder on the disk, so that the cache of a package manager is larger than the memory', async () => {
    const fill = build('head -c 5000000 /dev/zero > "$HOME/cache" && head -c 5000000 /dev/zero > "$TMPDIR/part"');
    const keeps = build('test -s "$HOME/cache"');
    const outcome = await check({ 'signalbox.json': service({ build: fill, test: keeps }) });
    expect(outcome).toMatchObject({ isGood: true, isTested: true });
  });

  it('say which variable enlarges a folder in memory that is full', async () => {
    const fill = build('head -c 5000000 /dev/zero > /tmp/part');
    expect((await check({ 'signalbox.json': service({ test: fill }) })).output).toContain('SANDBOX_TMP_MB');
  });

  it('show each command with its own exit code and output, without colors', async () => {
    const [made] = build('echo made');
    const [failed] = build("printf '\\033[31mnot ok 1 port\\033[0m\\n'; exit 3");
    const { output, checks } = await check({ 'signalbox.json': service({ build: [made], test: [failed] }) });
    expect(checks.map(({ exitCode }) => exitCode)).toEqual([0, 3]);
    expect(output).toMatch(/^\$ \/bin\/sh -c echo made\nmade\n\[exit code 0, [\d.]+ s\]\n\n\$ /);
    expect(output).toMatch(/\nnot ok 1 port\n\[exit code 3, [\d.]+ s\]$/);
  });

  it('tell a failure of before the edits from one of the edits', async () => {
    const tree = lay({ 'a.txt': 'new', 'b.txt': 'added' });
    const deps = { sandbox, door: null, home: tree.home };
    const undo = [
      { path: 'a.txt', before: 'old', after: 'new' },
      { path: 'b.txt', before: null, after: 'added' },
      { path: 'c.txt', before: 'deleted', after: null },
    ];
    const { signal } = new AbortController();
    const failsSo = async (line: string): Promise<boolean> => {
      const planned = [{ kind: 'test' as const, words: ['/bin/sh', '-c', line] }];
      const failed = await runChecks(deps, { ...tree, undo: [] }, planned, signal);
      expect(failed.isGood).toBe(false);
      return failsBefore(deps, { ...tree, undo }, planned, failed, signal);
    };
    expect(await failsSo('grep -q old a.txt && test ! -e b.txt && test -e c.txt')).toBe(false);
    expect(await failsSo('test -e d.txt')).toBe(true);
    expect(readdirSync(tree.root)).toEqual(['a.txt', 'b.txt']);
  });

  it('change nothing in the work tree', async () => {
    const tree = lay({ 'signalbox.json': service({ test: build('echo x > made.txt') }) });
    const deps = { sandbox, door: null, home: tree.home };
    await runChecks(deps, { ...tree, undo: [] }, await findChecks(tree), new AbortController().signal);
    const found = execFileSync('ls', [tree.root], { encoding: 'utf8', env: { PATH: loadTestConfig().path } });
    expect(found).toBe('signalbox.json\n');
  });
});
