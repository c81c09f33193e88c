import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commitDiff } from '@signalbox/jobs/forges/commit-diff';
import type { ForgeLimits } from '@signalbox/jobs/forges/forge-client';
import { createForges, type Forges } from '@signalbox/jobs/forges/open-forge';
import { createGit } from '@signalbox/jobs/git/git';
import { createSourceStore, type FetchedCommit } from '@signalbox/jobs/git/sources';
import { openGitConfinement } from '@signalbox/jobs/sandbox/git-room';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { appFiles, makeRepository, type TestRepository } from '../../support/deploy-repository.ts';
import { openForgeSimulator } from '../../support/forges/forge-simulator.ts';
import type { ForgeSimulator, SimulatedKind } from '../../support/forges/simulated-forge.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(240_000);
const TOKEN = 'plum-4711-pear';
const BRANCH = 'signalbox/7-notes';
const KINDS: readonly SimulatedKind[] = ['github', 'gitlab', 'gitea'];
const sandbox = await locateTestSandbox('git in a room');
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = sandbox?.settings ?? {};
const cell = sandbox && openGitConfinement({ program: findBubblewrap({ file, libraryPath, path }), path, hidden: [] });
const toDiff = (text: string): string =>
  `diff --git a/NOTES.md b/NOTES.md\nnew file mode 100644\n--- /dev/null\n+++ b/NOTES.md\n@@ -0,0 +1 @@\n+${text}\n`;

let folder: string;
let host: ForgeSimulator;
let forges: Forges;
let base: FetchedCommit;
let work: TestRepository;

async function start(
  kind: SimulatedKind,
  { token = TOKEN, limits = {} }: { token?: string; limits?: Partial<ForgeLimits> } = {},
): Promise<void> {
  folder = makeTemporaryFolder('forge');
  for (const name of ['trust', 'served/ada']) mkdirSync(join(folder, name), { recursive: true });
  work = makeRepository(join(folder, 'work'));
  work.release('v1', appFiles({}));
  execFileSync('git', ['clone', '--quiet', '--bare', join(folder, 'work'), join(folder, 'served/ada/shop.git')]);
  const trustDir = join(folder, 'trust');
  host = await openForgeSimulator(kind, { folder: join(folder, 'served'), trustDir, token: TOKEN });
  const hosts = { privateOnes: ['localhost'], trustDir };
  const [dir, repositoriesDirs] = [join(folder, 'deploys'), []];
  forges = createForges({
    git: createGit({ path, home: folder, cell }),
    dir,
    repositoriesDirs,
    forges: [{ kind, web: host.web, api: host.api }],
    hosts,
    limits: { pauseMs: 10, requestMs: 5_000, maxPauseMs: 2_000, ...limits },
  });
  const { exchangeLogin } = forges;
  const sources = createSourceStore({ dir, repositoriesDirs, closed: [], cell, path, hosts, exchangeLogin });
  base = await sources.fetch(shopWith(token), 'HEAD', signal);
}

afterEach(async () => {
  await host.close();
  // Every request and every answer fits the description that the forge publishes.
  if (host.problems.length > 0) throw new Error(host.problems.join('\n'));
});

const shopWith = (value: string) => ({
  address: `${host.web}/ada/shop.git`,
  login: { id: 'ada secret:shop', open: () => Promise.resolve(value) },
});
const open = (value = TOKEN) => forges.findForge('shop', shopWith(value));
const commit = (text = 'Tea') =>
  commitDiff(
    createGit({ path, home: folder, cell }),
    base.mirror,
    { base: base.commit, diff: toDiff(text), message: 'Add notes', at: new Date('2026-11-28T08:00:00Z') },
    signal,
  );
async function publish({ text = 'Tea', branch = BRANCH, replaces = null as string | null, token = TOKEN } = {}) {
  const made = await commit(text);
  const { mirror, commit: on } = base;
  return { made, ...(await open(token).publish({ mirror, commit: made, base: on, branch, replaces }, signal)) };
}
const request = { branch: BRANCH, into: null, title: 'Add notes', body: 'What' };
const openChange = (token = TOKEN) => open(token).openChange(request, signal);
const LIST = { github: /^GET .*\/pulls$/, gitlab: /^GET .*\/merge_requests$/, gitea: /^GET .*\/pulls$/ };
const CREATE = { github: /^POST .*\/pulls$/, gitlab: /^POST .*\/merge_requests$/, gitea: /^POST .*\/pulls$/ };

describe.each(KINDS)('an approved change at %s', (kind) => {
  beforeEach(() => start(kind));

  it('becomes one branch and one pull request, however often it is asked for', async () => {
    const { made, isNew } = await publish();
    expect(isNew).toBe(true);
    const change = await openChange();
    const page = { github: 'pull', gitlab: '-/merge_requests', gitea: 'pulls' }[kind];
    // The forge's answer names another address, which nobody is sent to.
    const url = `${host.web}/ada/shop/${page}/1`;
    expect(change).toMatchObject({ kind: 'opened', number: 1, url, state: 'open', commit: made, canMerge: null });
    expect(await publish()).toMatchObject({ made, isNew: false });
    expect(await openChange()).toEqual(change);
    expect(host.pulls).toMatchObject([{ branch: BRANCH, into: 'main', title: 'Add notes', body: 'What' }]);
    expect(host.git('rev-parse', BRANCH)).toBe(made);
  });

  it('is opened once although the answer got lost', async () => {
    await publish();
    host.faults.push({ at: CREATE[kind], breaksAfter: true });
    expect(await openChange()).toMatchObject({ number: 1, state: 'open' });
    expect(host.pulls).toHaveLength(1);
  });

  it('is opened although the forge failed or was too busy before', async () => {
    await publish();
    host.faults.push(
      { at: LIST[kind], status: 502, body: '<html>' },
      { at: LIST[kind], status: 429, headers: { 'retry-after': '1' } },
      { at: CREATE[kind], status: 503 },
    );
    expect(await openChange()).toMatchObject({ number: 1 });
    expect(host.pulls).toHaveLength(1);
  });

  it('shows its state, its checks and whether it still fits', async () => {
    await publish();
    expect(await open().findChange(BRANCH, signal)).toBeNull();
    expect(await openChange()).toMatchObject({ checks: { state: 'none', failed: [] } });
    host.checks.push({ name: 'lint', state: 'passed' }, { name: 'test', state: 'pending' });
    const [pull] = host.pulls;
    if (!pull) throw new Error('nothing was opened');
    pull.canMerge = true;
    const find = () => open().findChange(BRANCH, signal);
    expect(await find()).toMatchObject({ canMerge: true, checks: { state: 'pending' } });
    host.checks.push({ name: 'build', state: 'failed' });
    pull.canMerge = false;
    expect(await find()).toMatchObject({ canMerge: false, checks: { state: 'failed', failed: ['build'] } });
    pull.state = 'merged';
    expect(await find()).toMatchObject({ state: 'merged' });
    pull.state = 'closed';
    expect(await find()).toMatchObject({ state: 'closed' });
  });

  it('is opened on a main branch that has moved since, and never touches it', async () => {
    const moved = work.release('v2', appFiles({}));
    host.git('fetch', '--quiet', join(folder, 'work'), 'main:main');
    const { made } = await publish();
    expect(await openChange()).toMatchObject({ commit: made });
    expect(host.git('rev-parse', 'main')).toBe(moved);
  });

  it('is found on the third page, and not in a copy of the repository', async () => {
    await publish();
    const pull = { branch: BRANCH, into: 'main', title: '', body: '', state: 'open', canMerge: true } as const;
    host.pulls.push({ ...pull, number: 1, from: 'copy' }, { ...pull, number: 2, from: 'own' });
    for (let number = 3; number < 120; number += 1)
      host.pulls.push({ ...pull, branch: `b${number}`, number, from: 'own' });
    expect(await openChange()).toMatchObject({ number: 2 });
  });

  it('is not pushed over a branch of somebody else', async () => {
    host.git('branch', BRANCH, 'main');
    const theirs = host.git('rev-parse', 'main');
    const message = new RegExp(
      `The branch ${BRANCH} of .* holds the commit ${theirs.slice(0, 12)}, which I did not put`,
    );
    await expect(publish()).rejects.toThrow(message);
    expect(host.git('rev-parse', BRANCH)).toBe(theirs);
  });

  it('replaces its own earlier commit, and nothing that somebody pushed on top of it', async () => {
    const { made: first } = await publish();
    const { made: second } = await publish({ text: 'Coffee', replaces: first });
    expect(host.git('rev-parse', BRANCH)).toBe(second);
    await expect(publish({ text: 'Milk', replaces: first })).rejects.toMatchObject({ code: 'BRANCH_TAKEN' });
    expect(host.git('rev-parse', BRANCH)).toBe(second);
  });

  it('says who can help when the branch is protected', async () => {
    host.protect('signalbox/');
    await expect(publish()).rejects.toThrow(/the branch signalbox\/7-notes is protected there\. Whoever looks after/);
    expect(() => host.git('rev-parse', '--verify', '--quiet', BRANCH)).toThrow('Command failed');
  });

  it('says who can help when the repository is archived', async () => {
    host.repository.isArchived = true;
    await expect(publish()).rejects.toThrow(/archived there and takes no changes\. Its owner can unarchive it/);
    await expect(openChange()).rejects.toMatchObject({ code: 'FORGE_REFUSED' });
  });

  it('says who can help when the token is refused, lacks a right, or sees nothing', async () => {
    await expect(publish({ token: 'old' })).rejects.toThrow(/does not take the project’s token/);
    await expect(openChange('old')).rejects.toThrow(/does not take the project’s token/);
    await publish();
    const refuse = async (status: number, body = '{"message":"no"}') => {
      host.faults.push({ at: CREATE[kind], status, body });
      return openChange().catch((error: unknown) => String(error));
    };
    expect(await refuse(403)).toMatch(/lacks a right\. Whoever gave it can add .*(?:write|api)/);
    expect(await refuse(404)).toMatch(/no such repository for the project’s token/);
    expect(await refuse(422, '{"message":"title is too long"}')).toMatch(/answers 422: “title is too long”/);
    expect(await refuse(301)).toMatch(/has moved there/);
  });

  it('ends with the time from which the forge takes requests again', async () => {
    await publish();
    const reset = String(Math.ceil(Date.parse('2099-01-01T10:30:00Z') / 1_000));
    const names = { github: 'x-ratelimit-reset', gitlab: 'ratelimit-reset', gitea: 'x-ratelimit-reset' };
    const headers = { [names[kind]]: reset, 'x-ratelimit-remaining': '0' };
    host.faults.push({ at: LIST[kind], status: kind === 'github' ? 403 : 429, headers });
    await expect(openChange()).rejects.toThrow(
      /could not be asked: too many requests .* after \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    );
    expect(host.requests).toHaveLength(1);
  });

  it.each([
    ['is huge', 'x'.repeat(5 * 1024 * 1024), /larger than any that is read/],
    ['has other types', '[{"number":"1","iid":{},"state":7}]', /has another form/],
    ['is no JSON', '<html>', /has another form/],
    ['is an endless nesting', '['.repeat(100_000), /has another form/],
  ])('is not opened when an answer %s', async (_, body, message) => {
    await publish();
    host.faults.push({ at: LIST[kind], status: 200, body });
    await expect(openChange()).rejects.toThrow(message);
    expect(host.pulls).toEqual([]);
  });

  it('never sends its token to where a redirect leads', async () => {
    await publish();
    const location = `${host.web}${new URL(host.api).pathname}/elsewhere`;
    host.faults.push({ at: LIST[kind], status: 302, headers: { location } });
    await expect(openChange()).rejects.toThrow(/has moved there/);
    expect(host.requests.join()).not.toContain('elsewhere');
  });
});

describe('a forge', () => {
  it('that hangs is waited for until the deadline of the request, three times', async () => {
    await start('gitea', { limits: { requestMs: 150 } });
    await publish();
    host.faults.push({ at: LIST.gitea, hangs: true, times: 9 });
    await expect(openChange()).rejects.toThrow(/Gitea at localhost:\d+ could not be asked: it does not answer/);
    expect(host.requests).toHaveLength(3);
  });

  it('whose change of a branch already holds everything says so', async () => {
    await start('github');
    host.git('branch', BRANCH, 'main');
    await expect(openChange()).rejects.toThrow(/the branch main has all of this change already/);
  });
});

describe('a GitHub App', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const login = `github-app:123456\n${privateKey}`;

  it('reads, pushes and opens with one token of this repository, which it keeps until it expires', async () => {
    await start('github');
    host.app = { id: '123456', key: publicKey, isInstalled: true };
    await publish({ token: login });
    expect(await openChange(login)).toMatchObject({ number: 1, state: 'open' });
    expect(host.requests.filter((one) => one.includes('access_tokens'))).toHaveLength(1);
    const address = { url: `${host.web}/ada/shop.git`, protocol: 'https', shown: 'shop', folder: null } as const;
    expect(await forges.exchangeLogin(login, address, signal)).toBe('ghs_1');
  });

  it('that is not installed, has another key, or is for another forge is refused in words', async () => {
    await start('github');
    await expect(publish({ token: login })).rejects.toThrow(/does not take the project’s token/);
    host.app = { id: '123456', key: publicKey, isInstalled: false };
    await expect(publish({ token: login })).rejects.toThrow(/is not installed for this repository\. Its owner can/);
    const broken = 'github-app:1 -----BEGIN RSA PRIVATE KEY-----\nnothing\n-----END RSA PRIVATE KEY-----';
    await expect(publish({ token: broken })).rejects.toThrow(/private key of the GitHub App cannot be read/);
    const elsewhere = { url: 'https://example.org/a/b', protocol: 'https', shown: 'b', folder: null } as const;
    await expect(forges.exchangeLogin(login, elsewhere, signal)).rejects.toThrow(/a login for GitHub only/);
  });
});
