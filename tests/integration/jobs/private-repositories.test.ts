import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeploymentStore } from '@signalbox/jobs/deploy/deployment-work';
import { createRepositoryReadHandler } from '@signalbox/jobs/jobs/repository-look';
import type { Repository } from '@signalbox/jobs/git/repository-login';
import { createSourceStore, type SourceStore } from '@signalbox/jobs/git/sources';
import { openGitConfinement } from '@signalbox/jobs/sandbox/git-room';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { createLog } from '@signalbox/platform/log';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { openPool } from '@signalbox/store/pool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { createDatabase } from '../../support/database.ts';
import { appFiles, makeRepository } from '../../support/deploy-repository.ts';
import { openGitHost, type GitHost } from '../../support/git-host.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(120_000);
const TOKEN = 'plum-4711-pear';
const sandbox = await locateTestSandbox('git in a room');
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = sandbox?.settings ?? {};
const cell = sandbox && openGitConfinement({ program: findBubblewrap({ file, libraryPath, path }), path, hidden: [] });

let folder: string;
let host: GitHost;
let commit: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(async () => {
  folder = makeTemporaryFolder('private');
  mkdirSync(at('trust'));
  const shop = makeRepository(at('served/shop'));
  shop.release('v1', appFiles({}));
  commit = shop.release('v2', appFiles({}));
  host = await openGitHost({ folder: at('served'), login: `x-access-token:${TOKEN}`, trustDir: at('trust') });
});
afterEach(() => host.close());

function open({
  programs = path,
  room = null as typeof cell,
}: { programs?: string; room?: typeof cell } = {}): SourceStore {
  return createSourceStore({
    dir: at('deploys'),
    repositoriesDirs: [],
    closed: [],
    cell: room,
    path: programs,
    hosts: { privateOnes: ['localhost'], trustDir: at('trust') },
  });
}

function shopWith(value: string | null, id = 'ada secret:shop'): Repository {
  return { address: host.addressOf('shop/.git'), login: value === null ? null : { id, open: async () => value } };
}

describe('a private repository', () => {
  it('is read with the token of its project', async () => {
    for (const login of [TOKEN, `x-access-token:${TOKEN}`, `${TOKEN}\n`])
      expect(await open().open(shopWith(login), 'main', signal)).toMatchObject({ commit });
    const start = { choose: expect.any(Function) };
    const found = { main: commit, branch: 'main', tags: ['v2', 'v1'], start };
    expect(await open().look(shopWith(TOKEN), signal)).toEqual(found);
  });

  it.skipIf(cell === null)('is read with the token of its project inside a sandbox as well', async () => {
    expect(await open({ room: cell }).open(shopWith(TOKEN), 'v2', signal)).toMatchObject({ commit });
  });

  it('is not read without the token, even when the same commit was fetched before', async () => {
    await open().open(shopWith(TOKEN), commit, signal);
    for (const ref of ['main', commit])
      await expect(open().open(shopWith(null), ref, signal)).rejects.toThrow(
        /it is private\. Keep a token or a deploy key/,
      );
    const other = shopWith('another', 'ben secret:shop');
    await expect(open().open(other, commit, signal)).rejects.toThrow(/refuses the login of the project/);
  });

  it('is fetched without the token in any argument of git or in any file', async () => {
    mkdirSync(at('bin'));
    writeFileSync(at('bin/git'), `#!/bin/sh\necho "$@" >> ${at('words')}\nPATH=${path} exec git "$@"\n`);
    chmodSync(at('bin/git'), 0o755);
    await open({ programs: `${at('bin')}:${path}` }).open(shopWith(TOKEN), 'v1', signal);
    expect(readFileSync(at('words'), 'utf8')).toContain('fetch');
    const encoded = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
    for (const secret of [TOKEN, encoded]) {
      expect(readFileSync(at('words'), 'utf8')).not.toContain(secret);
      expect(() => execFileSync('grep', ['-r', '--text', secret, at('deploys')])).toThrow(/Command failed/);
    }
    expect(host.logins).toContain(`Basic ${encoded}`);
  });

  it('is not read through a redirect, which could leak the token', async () => {
    mkdirSync(at('other'));
    const other = await openGitHost({ folder: at('served'), login: 'nobody:nothing', trustDir: at('other') });
    await host.close();
    host = await openGitHost({
      folder: at('served'),
      login: `x-access-token:${TOKEN}`,
      trustDir: at('trust'),
      movedTo: other.addressOf('').replace(/\/$/, ''),
    });
    const moved = { ...shopWith(TOKEN), address: host.addressOf('moved/shop/.git') };
    await expect(open().open(moved, 'main', signal)).rejects.toThrow(/its host redirects to another address/);
    expect(other.logins).toEqual([]);
    await other.close();
  });

  it('is refused with a private key for https, or with a login in its address', async () => {
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nnothing\n-----END OPENSSH PRIVATE KEY-----';
    await expect(open().open(shopWith(key), 'main', signal)).rejects.toThrow(/https takes a token as its login/);
    const inside = { address: host.addressOf('shop/.git').replace('//', `//ada:${TOKEN}@`), login: null };
    await expect(open().open(inside, 'main', signal)).rejects.toThrow(/an address must not contain a login/);
    await expect(open().open(inside, 'main', signal)).rejects.not.toThrow(TOKEN);
  });
});

describe('the list of versions of a project', () => {
  it('shows the newest versions of each repository, or why it cannot be read', async () => {
    const database = await createDatabase();
    const pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
    const projects = createProjectStore(pool);
    await pool.query(`insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer')`);
    const owner = { owner: '1', description: 'Sells shoes' };
    const repository = host.addressOf('shop/.git');
    const repositoryLogin = { handle: 'secret:shop', givenBy: '1' };
    await projects.create({ ...owner, name: 'shop', repository, repositoryLogin }, 'a1');
    await projects.create({ ...owner, name: 'open', repository }, 'a2');
    const opened: unknown[] = [];
    const openSecret = async (...words: unknown[]): Promise<string> => {
      opened.push(words);
      return TOKEN;
    };
    const look = createRepositoryReadHandler({ sources: open(), work: new DeploymentStore(pool) }, projects);
    const context = { openSecret, signal } as unknown as Parameters<typeof look.run>[1]; // all that it uses
    const found = await look.run({ project: 'shop' }, context);
    expect(found).toMatchObject({ problem: null, main: commit, tags: ['v2', 'v1'] });
    expect(look.say(found)).toBe(
      `Its main branch is at ${commit.slice(0, 7)}; its newest versions are v2 and v1. To deploy it, I start it with \`node server.mjs\`.`,
    );
    expect(opened).toEqual([['secret:shop', `to read the repository ${repository}`, '1']]);
    const { problem } = await look.run({ project: 'open' }, context);
    expect(problem).toContain('could not be read: it does not exist, or it is private');
    await projects.update('shop', { repository: `${repository}/` }, 'a3');
    expect(await projects.get('shop')).toMatchObject({ repositoryLogin: null });
    await pool.end();
    await database.drop();
  });
});
