import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitDiff } from '@signalbox/jobs/forges/commit-diff';
import { createNoForge } from '@signalbox/jobs/forges/no-forge';
import { createGit } from '@signalbox/jobs/git/git';
import { createSourceStore, type FetchedCommit } from '@signalbox/jobs/git/sources';
import { openGitConfinement } from '@signalbox/jobs/sandbox/git-room';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { beforeEach, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { appFiles, makeRepository } from '../../support/deploy-repository.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(120_000);
const sandbox = await locateTestSandbox('git in a room');
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = sandbox?.settings ?? {};
const cell = sandbox && openGitConfinement({ program: findBubblewrap({ file, libraryPath, path }), path, hidden: [] });
const DIFF = `diff --git a/NOTES.md b/NOTES.md
new file mode 100644
--- /dev/null
+++ b/NOTES.md
@@ -0,0 +1 @@
+Tea
`;
const at = new Date('2026-11-28T08:00:00Z');

let folder: string;
let base: FetchedCommit;
const git = () => createGit({ path, home: folder, cell });
const forge = () => createNoForge({ git: git(), dir: join(folder, 'changes'), project: 'shop' });
const commit = (diff = DIFF, message = 'Add notes') =>
  commitDiff(git(), base.mirror, { base: base.commit, diff, message, at }, signal);

beforeEach(async () => {
  folder = makeTemporaryFolder('no-forge');
  makeRepository(join(folder, 'repositories/shop')).release('v1', appFiles({}));
  const hosts = { privateOnes: [], trustDir: null };
  const places = { dir: join(folder, 'deploys'), repositoriesDirs: [join(folder, 'repositories')], closed: [] };
  const sources = createSourceStore({ ...places, cell, path, hosts });
  base = await sources.fetch({ address: './shop', login: null }, 'main', signal);
});

describe('the commit of an approved diff', () => {
  it('is the same in every attempt, and leaves nothing else in the mirror', async () => {
    const first = await commit();
    expect(await commit()).toBe(first);
    const show = (words: readonly string[]) => execFileSync('git', ['-C', base.mirror, ...words], { encoding: 'utf8' });
    expect(show(['show', `${first}:NOTES.md`])).toBe('Tea\n');
    expect(show(['rev-parse', `${first}^`]).trim()).toBe(base.commit);
    expect(show(['log', '-1', '--format=%an %ct', first]).trim()).toBe(`Signalbox ${at.getTime() / 1_000}`);
    expect(execFileSync('ls', [base.mirror], { encoding: 'utf8' })).not.toMatch(/index-|patch-/);
  });

  it.each([
    ['does not fit its base', DIFF.replace('new file mode 100644\n', '').replace('/dev/null', 'a/NOTES.md')],
    ['leads outside of the repository', DIFF.replaceAll('NOTES.md', '../NOTES.md')],
    ['writes settings of git', DIFF.replaceAll('NOTES.md', '.git/config')],
    ['is none', 'Tea'],
  ])('is not made when the diff %s', async (_, diff) => {
    await expect(commit(diff)).rejects.toMatchObject({ code: 'DIFF_REFUSED' });
  });
});

describe('a project without a forge', () => {
  const publish = async (branch: string, replaces: string | null = null, message?: string) => {
    const made = await commit(DIFF, message);
    const { mirror, commit: on } = base;
    return { made, ...(await forge().publish({ mirror, commit: made, base: on, branch, replaces }, signal)) };
  };

  it('keeps an approved branch in the data folder once, with a patch that git takes', async () => {
    const { made, isNew } = await publish('signalbox/notes');
    expect(isNew).toBe(true);
    expect(await publish('signalbox/notes')).toMatchObject({ isNew: false });
    const request = { branch: 'signalbox/notes', into: null, title: 'Notes', body: '' };
    const change = await forge().openChange(request, signal);
    expect(change).toMatchObject({ kind: 'kept', branch: 'signalbox/notes', commit: made });
    expect(await forge().findChange('signalbox/notes', signal)).toEqual(change);
    if (change.kind !== 'kept') throw new Error('nothing is kept');
    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '--quiet', join(folder, 'repositories/shop'), clone]);
    execFileSync('git', ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a', 'am', '--quiet', change.patchFile]);
    expect(readFileSync(join(clone, 'NOTES.md'), 'utf8')).toBe('Tea\n');
    const branches = execFileSync('git', ['-C', change.repository, 'branch', '--list', '--format=%(refname:short)']);
    expect(branches.toString().trim()).toBe('signalbox/notes');
  });

  it('keeps a repository that a plain clone checks out', async () => {
    await publish('signalbox/notes');
    const clone = join(folder, 'plain');
    execFileSync('git', ['clone', '--quiet', join(folder, 'changes', 'shop.git'), clone]);
    expect(readFileSync(join(clone, 'NOTES.md'), 'utf8')).toBe('Tea\n');
  });

  it('gets the patch of a branch whose process was killed before it was written', async () => {
    await publish('signalbox/notes');
    const change = await forge().findChange('signalbox/notes', signal);
    if (change?.kind !== 'kept') throw new Error('nothing is kept');
    rmSync(change.patchFile);
    await publish('signalbox/notes');
    expect(readFileSync(change.patchFile, 'utf8')).toContain('+Tea');
  });

  it('replaces only the commit that it published before', async () => {
    const { made: first } = await publish('signalbox/notes');
    await expect(publish('signalbox/notes', null, 'Other')).rejects.toMatchObject({ code: 'BRANCH_TAKEN' });
    await expect(publish('signalbox/notes', base.commit, 'Other')).rejects.toMatchObject({ code: 'BRANCH_TAKEN' });
    expect(await publish('signalbox/notes', first, 'Other')).toMatchObject({ isNew: true });
  });

  it('never changes the folder of the repository', async () => {
    const list = () =>
      execFileSync('git', ['-C', join(folder, 'repositories/shop'), 'for-each-ref'], { encoding: 'utf8' });
    const before = list();
    await publish('signalbox/notes');
    expect(list()).toBe(before);
    expect(await forge().findChange('signalbox/other', signal)).toBeNull();
  });
});
