import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSourceStore } from '@signalbox/jobs/git/sources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { makeRepository, type TestRepository } from '../../support/deploy-repository.ts';
import { openGitHost, type GitHost } from '../../support/git-host.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(120_000);
const TOKEN = 'plum-4711-pear';
const HERE = { server: 'local', driver: 'process' } as const;

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);
beforeEach(() => {
  folder = makeTemporaryFolder('submodules');
});

const open = (repositoriesDirs: readonly string[] = [at('repositories')]) =>
  createSourceStore({
    dir: at('deploys'),
    repositoriesDirs,
    closed: [],
    cell: null,
    path,
    hosts: { privateOnes: ['localhost'], trustDir: at('trust') },
  });

interface Link {
  readonly path: string;
  readonly url: string;
  readonly commit: string;
}

/** Commits files and links to commits of other repositories, as git does for submodules. */
function link(
  repository: TestRepository,
  links: readonly Link[],
  files: Readonly<Record<string, string>> = {},
): string {
  const modules = links
    .map(({ path: place, url }) => `[submodule "${place}"]\n\tpath = ${place}\n\turl = ${url}\n`)
    .join('');
  repository.release('v0', { 'index.html': '', '.gitmodules': modules, ...files });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', repository.folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      encoding: 'utf8',
    }).trim();
  for (const { path: place, commit } of links) git('update-index', '--add', '--cacheinfo', `160000,${commit},${place}`);
  git('commit', '--quiet', '--message', 'links');
  git('tag', '--force', 'v1');
  return git('rev-parse', 'HEAD');
}

async function checkOut(address: string, login: string | null = null, dirs?: readonly string[]) {
  const repository = { address, login: login === null ? null : { id: 'ada secret:shop', open: async () => login } };
  const source = await open(dirs).open(repository, 'v1', signal);
  const to = await source.checkOut('one', signal);
  const missing = source.choose(HERE).notes.flatMap((note) => (note.kind === 'submodules' ? note.paths : []));
  const read = (name: string): string | null =>
    existsSync(join(to, name)) ? readFileSync(join(to, name), 'utf8') : null;
  return { read, missing };
}

describe('the submodules of a folder of this machine', () => {
  const make = (name: string): TestRepository => makeRepository(at('repositories', name));

  it('are checked out with their own submodules, at the commits that the commit names', async () => {
    const inner = make('inner').release('v1', { 'deep.txt': 'deep' });
    const lib = make('lib');
    const commit = link(lib, [{ path: 'parts/inner', url: '../inner', commit: inner }], { 'lib.txt': 'old' });
    lib.release('v2', { 'lib.txt': 'new' });
    link(make('shop'), [{ path: 'vendor/lib', url: '../lib', commit }]);
    const { read, missing } = await checkOut(at('repositories/shop'));
    expect(read('vendor/lib/lib.txt')).toBe('old');
    expect(read('vendor/lib/parts/inner/deep.txt')).toBe('deep');
    expect(missing).toEqual([]);
  });

  it('are those below the folder of a service', async () => {
    const commit = make('lib').release('v1', { 'lib.txt': 'x' });
    const links = ['apps/web/lib', 'other/lib'].map((place) => ({ path: place, url: '../lib', commit }));
    link(make('shop'), links, { 'apps/web/index.html': '' });
    const { read, missing } = await checkOut(`${at('repositories/shop')}#:apps/web`);
    expect(read('lib/lib.txt')).toBe('x');
    expect(missing).toEqual([]);
  });

  it('are named as missing, and not fetched, when their address leads elsewhere or their commit is away', async () => {
    const commit = makeRepository(at('private')).release('v1', { 'secret.txt': 'x' });
    make('lib').release('v1', { 'lib.txt': 'x' });
    const urls = [at('private'), `file://${at('private')}`, '../../private', 'ext::sh -c id', '../lib'];
    const links = urls.map((url, place) => ({ path: `lib${place}`, url, commit }));
    link(make('shop'), links);
    const { read, missing } = await checkOut(at('repositories/shop'));
    expect(missing).toEqual(links.map(({ path: place }) => place));
    for (const { path: place } of links) expect(read(`${place}/secret.txt`)).toBeNull();
  });

  it('end after a number that no honest project needs', async () => {
    const commit = make('lib').release('v1', { 'lib.txt': 'x' });
    link(
      make('shop'),
      Array.from({ length: 40 }, (_, place) => ({ path: `l${place}`, url: '../lib', commit })),
    );
    const { read } = await checkOut(at('repositories/shop'));
    expect([read('l19/lib.txt'), read('l20/lib.txt')]).toEqual(['x', null]);
  });
});

describe('the submodules of a remote repository', () => {
  let host: GitHost;
  beforeEach(async () => {
    mkdirSync(at('trust'));
    host = await openGitHost({ folder: at('served'), login: `x-access-token:${TOKEN}`, trustDir: at('trust') });
  });
  afterEach(() => host.close());

  it('are fetched with its login from its own host, and never from a folder of this machine', async () => {
    const commit = makeRepository(at('served/lib')).release('v1', { 'lib.txt': 'x' });
    const local = makeRepository(at('repositories/local')).release('v1', { 'secret.txt': 'x' });
    const shop = makeRepository(at('served/shop'));
    link(shop, [
      { path: 'lib', url: '../../lib/.git', commit },
      { path: 'stolen', url: at('repositories/local'), commit: local },
    ]);
    const { read, missing } = await checkOut(host.addressOf('shop/.git'), TOKEN);
    expect(read('lib/lib.txt')).toBe('x');
    expect(read('stolen/secret.txt')).toBeNull();
    expect(missing).toEqual(['stolen']);
  });
});
