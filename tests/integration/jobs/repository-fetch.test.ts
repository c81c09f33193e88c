import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGit } from '@signalbox/jobs/git/git';
import type { Repository } from '@signalbox/jobs/git/repository-login';
import { createSourceStore, type SourceStore } from '@signalbox/jobs/git/sources';
import { openGitConfinement, type GitConfinement } from '@signalbox/jobs/sandbox/git-room';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { appFiles, makeRepository } from '../../support/deploy-repository.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(120_000);
const sandbox = await locateTestSandbox('git in a room');
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = sandbox?.settings ?? {};
const cell = sandbox && openGitConfinement({ program: findBubblewrap({ file, libraryPath, path }), path, hidden: [] });

let folder: string;
beforeEach(() => (folder = makeTemporaryFolder('fetch')));
afterEach(() => vi.unstubAllEnvs());
const at = (...names: string[]): string => join(folder, ...names);

function open(
  root: string,
  options: { readonly cell?: GitConfinement | null; readonly closed?: readonly string[] } = {},
): SourceStore {
  const closed = [at('targets'), ...(options.closed ?? [])];
  return createSourceStore({
    dir: at('deploys'),
    repositoriesDirs: [root],
    closed,
    cell: options.cell ?? null,
    path,
    hosts: { privateOnes: [], trustDir: null },
  });
}

const HERE = { server: 'local', driver: 'process' } as const;

/** A repository without a login. */
const anybodys = (address: string): Repository => ({ address, login: null });

describe('a folder as the address of a repository', () => {
  const parts = [
    'keys/secrets',
    'keys',
    'audit',
    'logs',
    'postgres',
    'redis',
    'workspaces/w/files',
    'targets',
    'deploys',
  ];

  it.each(parts)('is refused when it is the part %s of a data folder, or a link to it', async (name) => {
    mkdirSync(at('keys/secrets'), { recursive: true });
    makeRepository(at(name)).release('v1', appFiles({}));
    symlinkSync(at(name), at('innocent'));
    for (const address of [at(name), `file://${at(name)}`, at('innocent'), at('demo', '..', name)])
      await expect(open(folder).open(anybodys(address), 'v1', signal)).rejects.toMatchObject({
        code: 'REPOSITORY_REFUSED',
      });
    makeRepository(at('shop')).release('v1', appFiles({}));
    expect(await open(folder).open(anybodys(at('shop')), 'v1', signal)).toMatchObject({ dockerfile: null });
  });

  it('is refused when it contains or is inside a folder where Signalbox keeps data', async () => {
    for (const name of ['mine', 'mine/secret', 'mine/secret/deep'])
      makeRepository(at('all', name)).release('v1', appFiles({}));
    const sources = open(at('all'), { closed: [at('all/mine/secret')] });
    for (const name of ['mine', 'mine/secret', 'mine/secret/deep'])
      await expect(sources.open(anybodys(at('all', name)), 'v1', signal)).rejects.toThrow(/keeps its own data there/);
  });
});

describe('a repository whose main branch does not exist', () => {
  it('is fetched with its tags only', async () => {
    const commit = makeRepository(at('shop')).release('v1', appFiles({}));
    writeFileSync(at('shop/.git/HEAD'), 'ref: refs/heads/nowhere\n');
    const sources = open(folder);
    expect(await sources.look(anybodys(at('shop')), signal)).toMatchObject({ main: null, tags: ['v1'] });
    await expect(sources.fetch(anybodys(at('shop')), 'HEAD', signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await sources.fetch(anybodys(at('shop')), 'v1', signal)).toMatchObject({ commit });
  });
});

describe('a service in a folder of a repository', () => {
  const files = {
    'package.json': JSON.stringify({ name: 'all', version: '9.9.9' }),
    'apps/web/package.json': JSON.stringify({ version: '1.4.0', scripts: { start: 'node web.js' } }),
    'apps/web/web.js': '',
    'docs/README.md': '',
  };
  const web = (): Repository => anybodys(`${at('shop')}#:apps/web`);

  it('is built and started from that folder, without the rest of the repository', async () => {
    const commit = makeRepository(at('shop')).release('v1', files);
    const source = await open(folder).open(web(), 'HEAD', signal);
    expect(source).toMatchObject({ commit, release: `1.4.0-${commit.slice(0, 7)}` });
    expect(source.choose(HERE).file.start).toEqual(['npm', 'start']);
    const checkout = await source.checkOut('web', signal);
    expect(readdirSync(checkout).toSorted()).toEqual(['package.json', 'web.js']);
    const found = await open(folder).look(web(), signal);
    expect(found).toMatchObject({ main: commit, start: { choose: expect.any(Function) } });
  });

  it('is refused with the list of folders when its folder does not exist or has no start command', async () => {
    makeRepository(at('shop')).release('v1', files);
    const sources = open(folder);
    await expect(sources.open(anybodys(at('shop')), 'v1', signal)).rejects.toThrow(
      /I cannot tell how \w{7} is started/,
    );
    expect((await sources.look(anybodys(at('shop')), signal)).start).toMatchObject({ code: 'START_UNKNOWN' });
    const other = anybodys(`${at('shop')}#:apps/api`);
    await expect(sources.open(other, 'v1', signal)).rejects.toThrow(
      /named apps\/api\. Known: apps, apps\/web and docs/,
    );
  });

  it('is refused when its folder is outside of the repository', async () => {
    makeRepository(at('shop')).release('v1', files);
    for (const name of ['..', 'apps/../..', '/etc', '-x'])
      await expect(open(folder).open(anybodys(`${at('shop')}#:${name}`), 'v1', signal)).rejects.toMatchObject({
        code: 'REPOSITORY_REFUSED',
      });
  });
});

describe('a repository of strangers', () => {
  const startOf = async (files: Readonly<Record<string, string>>) => {
    makeRepository(at('shop')).release('v1', files);
    return (await open(folder).open(anybodys(at('shop')), 'v1', signal)).choose(HERE);
  };

  it('has a signalbox.json that an editor began with a byte order mark', async () => {
    expect((await startOf({ 'signalbox.json': '\uFEFF{"start": ["node", "a.js"]}' })).file.start).toEqual([
      'node',
      'a.js',
    ]);
  });

  it('has a Dockerfile and a start script, of which the machine can run one', async () => {
    const files = { Dockerfile: 'FROM node', 'package.json': '{"scripts":{"start":"node ."}}' };
    expect(await startOf(files)).toMatchObject({ file: { start: ['npm', 'start'] }, notes: [{ of: 'Dockerfile' }] });
    await expect(startOf({ ...files, 'package.json': '{}' })).rejects.toThrow(
      /I cannot start \w{7} on local\. I do not use its `Dockerfile`: programs on local run without images\./,
    );
  });

  it('has a program in its Procfile that is in the commit, or not', async () => {
    const Procfile = 'web: PORT=$PORT bin/web';
    expect(await startOf({ Procfile, 'bin/web': '#!/bin/sh' })).toMatchObject({ notes: [] });
    await expect(
      startOf({ Procfile, 'bin/web': '', 'bin/other': '' }).then(() => startOf({ Procfile })),
    ).rejects.toThrow(/it starts `bin\/web`, which is not in the commit/);
  });

  it('has large files, which are named because nobody fetches them', async () => {
    const { notes } = await startOf({
      'index.html': '',
      '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n',
    });
    expect(notes).toEqual([{ kind: 'lfs', patterns: ['*.psd'] }]);
  });
});

describe.skipIf(cell === null)('a fetch in a sandbox', () => {
  it('reads no git objects of another folder, which a fetch without a sandbox would read', async () => {
    const secret = makeRepository(at('secret'));
    const commit = secret.release('v1', appFiles({}));
    const bait = makeRepository(at('repositories/bait'));
    bait.release('bait', appFiles({}));
    mkdirSync(at('repositories/bait/.git/objects/info'), { recursive: true });
    writeFileSync(at('repositories/bait/.git/objects/info/alternates'), `${at('secret/.git/objects')}\n`);
    writeFileSync(at('repositories/bait/.git/refs/heads/stolen'), `${commit}\n`);
    const address = at('repositories/bait');
    await expect(open(at('repositories'), { cell }).open(anybodys(address), 'stolen', signal)).rejects.toMatchObject({
      code: 'REPOSITORY_UNREADABLE',
    });
    renameSync(at('deploys'), at('before'));
    expect(await open(at('repositories')).open(anybodys(address), 'stolen', signal)).toMatchObject({ commit });
  });

  it('reads a folder with its main branch and its tags', async () => {
    const shop = makeRepository(at('repositories/shop'));
    const commit = shop.release('v1', appFiles({}));
    const sources = open(at('repositories'), { cell });
    for (const ref of ['v1', 'HEAD', 'main', commit])
      expect(await sources.open(anybodys(shop.folder), ref, signal)).toMatchObject({ commit });
  });

  it('sees the clone and system files, but no home folder and no network', async () => {
    mkdirSync(at('mirror'));
    mkdirSync(at('local'));
    // Git runs an alias that begins with a sign of exclamation by a shell, in its own room.
    const look =
      'alias.look=!ls -A / /root /home /tmp /var /run 2>/dev/null; cat /proc/net/dev; echo x > /mine || echo closed';
    const words = ['-c', look, 'look'];
    const room = { mirror: at('mirror'), local: at('local'), isSsh: false, trustDir: null };
    const git = createGit({ path, home: at('mirror'), cell });
    const { stdout, stderr } = await git(words, { signal, room });
    const seen = stdout.toString('utf8');
    expect(seen + stderr).toContain('closed');
    for (const name of ['root', 'home', 'var', 'run', 'secret', 'eth0'])
      expect(seen.split(/[\s/:]+/)).not.toContain(name);
    expect(seen.match(/^ *\w+:(?= )/gm)).toEqual(['    lo:']);
  });
});

it('git inherits neither the variables of the service nor the settings of the machine or a user', async () => {
  mkdirSync(at('bin'));
  writeFileSync(at('bin/git'), `#!/bin/sh\n/usr/bin/env\necho "$@"\n`);
  chmodSync(at('bin/git'), 0o755);
  const planted = {
    SECRETS_KEY: 'plum',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.sshCommand',
    GIT_CONFIG_VALUE_0: 'plum',
    GIT_SSH: 'plum',
    GIT_PROXY_COMMAND: 'plum',
    GIT_EXTERNAL_DIFF: 'plum',
    GIT_EXEC_PATH: 'plum',
    GIT_TEMPLATE_DIR: 'plum',
    SSH_AUTH_SOCK: 'plum',
    LD_PRELOAD: '',
  };
  for (const [name, value] of Object.entries(planted)) vi.stubEnv(name, value);
  const git = createGit({ path: at('bin'), home: folder });
  const { stdout } = await git(['fetch'], { signal, protocols: 'https' });
  const seen = stdout.toString('utf8');
  expect(seen).not.toContain('plum');
  for (const line of [
    'GIT_CONFIG_NOSYSTEM=1',
    'GIT_CONFIG_GLOBAL=/dev/null',
    'GIT_ALLOW_PROTOCOL=https',
    'GIT_TERMINAL_PROMPT=0',
  ])
    expect(seen.split('\n')).toContain(line);
  for (const setting of [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'protocol.ext.allow=never',
    'credential.helper=',
  ])
    expect(seen).toContain(`-c ${setting}`);
});

it('hooks and filters of a local repository do not run, with or without a sandbox', async () => {
  const shop = makeRepository(at('repositories/shop'));
  shop.release('v1', { ...appFiles({}), '.gitattributes': '* filter=evil\n' });
  execFileSync('git', ['-C', shop.folder, 'config', 'filter.evil.smudge', `touch ${at('ran')}`]);
  execFileSync('git', ['-C', shop.folder, 'config', 'uploadpack.packObjectsHook', `touch ${at('ran')}`]);
  for (const name of ['post-checkout', 'pre-auto-gc', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(shop.folder, '.git/hooks', name), `#!/bin/sh\ntouch ${at('ran')}\n`);
    chmodSync(join(shop.folder, '.git/hooks', name), 0o755);
  }
  for (const [name, one] of [
    ['open', null],
    ['room', cell],
  ] as const) {
    const source = await open(at('repositories'), { cell: one }).open(anybodys(shop.folder), 'v1', signal);
    await source.checkOut(name, signal);
  }
  expect(() => execFileSync('ls', [at('ran')], { stdio: 'pipe' })).toThrow();
});
