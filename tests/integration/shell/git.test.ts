import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// A repository whose own configuration and attributes name a program wherever git would start one.

const run = promisify(execFile);
const env = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CEILING_DIRECTORIES: inject('runDir'),
};
let folder: string;
let marker: string;

async function git(...args: readonly string[]): Promise<string> {
  return gitIn(folder, ...args);
}

async function gitIn(cwd: string, ...args: readonly string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];
  const { stdout } = await run('git', [...identity, ...args], { cwd, env, timeout: 20_000 });
  return stdout.trim();
}

/** Writes a program that tells when it was started. */
function writeEvil(path: string): string {
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> '${marker}'\nexit 0\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Runs what the product would run for a command, and answers what it prints. */
async function runUnasked(command: string, cwd = folder): Promise<string> {
  const [argv] = classifyCommand(command).pipeline ?? [];
  if (!argv) throw new Error(`${command} does not run unasked`);
  const [name = '', ...args] = argv;
  const { stdout } = await run(name, args, { cwd, env, timeout: 20_000 });
  return stdout;
}

beforeAll(async () => {
  folder = makeTemporaryFolder('hostile-repository');
  marker = join(folder, '..', 'hostile-marker');
  const evil = writeEvil(join(folder, 'evil'));
  await git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'file.txt'), 'one\n');
  writeFileSync(join(folder, '.gitattributes'), '*.txt diff=evil\n');
  await git('add', 'file.txt', '.gitattributes');
  await git('commit', '-q', '-m', 'first');
  // A commit with a signature, which only a program can check.
  const tree = await git('rev-parse', 'HEAD^{tree}');
  const who = 'Ada <ada@example.test> 1700000000 +0000';
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----';
  const parent = await git('rev-parse', 'HEAD');
  writeFileSync(
    join(folder, 'signed'),
    `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${signature}\n\nsigned\n`,
  );
  await git('update-ref', 'refs/heads/main', await git('hash-object', '-t', 'commit', '-w', 'signed'));
  writeFileSync(join(folder, 'file.txt'), 'two\n');
  writeFileSync(join(folder, 'post-index-change'), `#!/bin/sh\necho hook >> '${marker}'\n`);
  chmodSync(join(folder, 'post-index-change'), 0o755);
  const settings = {
    'core.fsmonitor': evil,
    'core.hooksPath': folder,
    'core.pager': evil,
    'core.editor': evil,
    'core.sshCommand': evil,
    'core.askPass': evil,
    'pager.log': evil,
    'pager.status': evil,
    'pager.branch': evil,
    'diff.external': evil,
    'diff.evil.command': evil,
    'diff.evil.textconv': evil,
    'log.showSignature': 'true',
    'format.pretty': '%h %G? %s',
    'gpg.program': evil,
    'gpg.openpgp.program': evil,
    'gpg.ssh.program': evil,
    'alias.log': `!${evil}`,
    'credential.helper': evil,
  };
  for (const [name, value] of Object.entries(settings)) await git('-c', 'core.fsmonitor=false', 'config', name, value);
});

beforeEach(() => rmSync(marker, { force: true }));

describe('git, in a repository whose configuration names programs', () => {
  it.each(['git log -p', 'git status', 'git diff'])(
    'starts those programs when it runs unprotected: %s',
    async (command) => {
      await run('git', command.split(' ').slice(1), { cwd: folder, env, timeout: 20_000 }).catch(() => undefined);
      expect(existsSync(marker)).toBe(true);
    },
  );

  it.each([
    ['git status', 'file.txt'],
    ['git status -s', 'file.txt'],
    ['git log', 'first'],
    ['git log -p --stat', '+one'],
    ['git log --oneline -n 20', 'signed'],
    ['git log -1 --format=%H', ''],
    ['git show', ''],
    ['git show --stat HEAD', ''],
    ['git show HEAD~1', '+one'],
    ['git diff', '+two'],
    ['git diff --stat', 'file.txt'],
    ['git diff HEAD', '+two'],
    ['git diff HEAD~1 -- file.txt', '+two'],
    ['git diff --cached', ''],
    ['git blame file.txt', 'two'],
    ['git blame HEAD file.txt', 'one'],
    ['git branch -a', 'main'],
    ['git branch -vv', 'main'],
    ['git tag', ''],
    ['git ls-files -m', 'file.txt'],
    ['git ls-tree -r HEAD', 'file.txt'],
    ['git rev-parse HEAD', ''],
    ['git rev-list --count HEAD', '2'],
    ['git describe --always', ''],
    ['git shortlog -sn HEAD', 'Ada'],
  ])(
    'starts none of those programs when it runs without approval, and prints its output: %s',
    async (command, answer) => {
      expect(await runUnasked(command)).toContain(answer);
      expect(existsSync(marker)).toBe(false);
    },
  );

  it('fetches no missing object, although the configuration names a program for it', async () => {
    await git('-c', 'core.fsmonitor=false', 'config', 'remote.origin.url', `ext::${join(folder, 'evil')} %S`);
    for (const [name, value] of [
      ['remote.origin.promisor', 'true'],
      ['extensions.partialClone', 'origin'],
      ['core.repositoryFormatVersion', '1'],
      ['protocol.ext.allow', 'always'],
    ] as const)
      await git('-c', 'core.fsmonitor=false', 'config', name, value);
    const missing = '1234567890123456789012345678901234567890';
    rmSync(marker, { force: true });
    await run('git', ['rev-list', '-n', '1', missing], { cwd: folder, env, timeout: 20_000 }).catch(() => undefined);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker, { force: true });
    await runUnasked(`git rev-list -n 1 ${missing}`).catch(() => undefined);
    await runUnasked(`git show ${missing}`).catch(() => undefined);
    expect(existsSync(marker)).toBe(false);
  });
});

it('`git status -v` needs approval, because no flag keeps it from starting a textconv program', () => {
  expect(classifyCommand('git status -v')).toMatchObject({ decision: 'ask', pipeline: null });
});

describe('git, in a repository with a hostile nested repository', () => {
  let outer: string;

  beforeAll(async () => {
    outer = makeTemporaryFolder('outer-repository');
    const inner = join(outer, 'inner');
    for (const cwd of [outer, inner]) {
      await run('git', ['init', '-q', '-b', 'main', cwd], { env });
      writeFileSync(join(cwd, 'file.txt'), 'one\n');
      await gitIn(cwd, 'add', 'file.txt');
      await gitIn(cwd, 'commit', '-q', '-m', 'first');
    }
    await gitIn(
      outer,
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${await gitIn(inner, 'rev-parse', 'HEAD')},inner`,
    );
    await gitIn(outer, 'commit', '-q', '-m', 'with inner');
    await gitIn(inner, 'commit', '-q', '--allow-empty', '-m', 'second'); // which the outer one sees without starting in it
    writeFileSync(join(inner, 'file.txt'), 'two\n');
    writeFileSync(join(inner, '.gitattributes'), '*.txt diff=evil\n');
    const evil = writeEvil(join(outer, 'evil'));
    await gitIn(outer, 'config', 'diff.submodule', 'diff');
    await gitIn(outer, 'config', 'status.submoduleSummary', 'true');
    for (const name of ['diff.external', 'diff.evil.command', 'diff.evil.textconv', 'core.fsmonitor'])
      await gitIn(inner, '-c', 'core.fsmonitor=false', 'config', name, evil);
  });

  it.each(['git status', 'git diff'])(
    'starts the programs of the nested repository when it runs unprotected: %s',
    async (command) => {
      await run('git', command.split(' ').slice(1), { cwd: outer, env, timeout: 20_000 }).catch(() => undefined);
      expect(existsSync(marker)).toBe(true);
    },
  );

  it.each(['git status', 'git diff', 'git diff HEAD', 'git log -p', 'git show'])(
    'starts no program of the nested repository when it runs without approval: %s',
    async (command) => {
      expect(await runUnasked(command, outer)).toContain('inner');
      expect(existsSync(marker)).toBe(false);
    },
  );
});

describe('git diff, outside of a repository', () => {
  it('does not compare two folders whose names look like revisions', async () => {
    const bare = makeTemporaryFolder('no-repository');
    for (const name of ['main', 'dev']) {
      mkdirSync(join(bare, name));
      writeFileSync(join(bare, name, '.env'), `PASSWORD=${name}\n`);
    }
    const plainly = await run('git', ['diff', 'main', 'dev'], { cwd: bare, env, timeout: 20_000 }).catch(
      (error: unknown) => error,
    );
    expect(plainly).toMatchObject({ stderr: '', stdout: expect.stringContaining('PASSWORD=dev') });
    for (const command of ['git diff main dev', 'git diff -- main dev', 'git diff main -- dev'])
      expect(await runUnasked(command, bare).catch((error: unknown) => error)).toMatchObject({ stdout: '', code: 129 });
  });
});
