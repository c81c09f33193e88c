import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareCommits } from '@signalbox/jobs/git/commit-compare';
import { cutLines, readCommitPath } from '@signalbox/jobs/git/commit-files';
import { searchCommit } from '@signalbox/jobs/git/commit-search';
import { createGit } from '@signalbox/jobs/git/git';
import { createSourceStore } from '@signalbox/jobs/git/sources';
import { openGitConfinement } from '@signalbox/jobs/sandbox/git-room';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { RepositoryPath } from '@signalbox/contracts/repository/reading';
import { beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// What a person reads of a repository of strangers. Nothing in it leads out of the commit, and no secret of it is shown.

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(120_000);
const sandbox = await locateTestSandbox('git in a room');
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = sandbox?.settings ?? {};
const cell = sandbox && openGitConfinement({ program: findBubblewrap({ file, libraryPath, path }), path, hidden: [] });

const root = makeTemporaryFolder('reading');
const home = join(root, 'repositories', 'shop');
const KEY = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIEpAIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0t',
  'qEKgQqZ5Yk0m',
  '-----END RSA PRIVATE KEY-----',
];
const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

const git = (...words: string[]): string =>
  execFileSync('git', ['-C', home, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...words], {
    encoding: 'utf8',
    env: { PATH: path, HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();
const write = (name: string, content: string | Buffer): void => {
  mkdirSync(join(home, name, '..'), { recursive: true });
  writeFileSync(join(home, name), content);
};
const commit = (message: string): string => {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
};

let first: string;
let last: string;
beforeAll(() => {
  mkdirSync(home, { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  write('src/server.js', `const port = process.env.PORT;\nconsole.log('Hello', port);\n`);
  write('apps/web/index.html', '<h1>web</h1>\n');
  first = commit('first');
  git('tag', 'v1');
  write('src/server.js', `const port = process.env.PORT;\nconsole.log('Good morning', port);\n`);
  write('-n', 'an option as a name\n');
  write(':(top)magic.txt', 'magic\n');
  write('two\nlines.txt', 'two lines\n');
  write('Ä/ü.txt', 'grüßen\n');
  write('binary.dat', Buffer.from([104, 105, 0, 1, 2]));
  write('large.txt', 'a line of a large file\n'.repeat(60_000));
  write('long.txt', `${'x'.repeat(5_000)} needle\n`);
  write('many.txt', Array.from({ length: 900 }, (_, n) => `row ${n + 1} of many\n`).join(''));
  write('keys.txt', ['before', ...KEY, 'after', `token = ${TOKEN}`, 'the end'].join('\n'));
  symlinkSync('/etc/passwd', join(home, 'outside'));
  symlinkSync('src', join(home, 'inside'));
  mkdirSync(join(home, 'library'));
  git('add', '--all');
  git('update-index', '--add', '--cacheinfo', `160000,${first},library`);
  git('commit', '--quiet', '--message', 'second: ghp_16C7e42F292c6912E7710c838347Ae178B4a is a token');
  last = git('rev-parse', 'HEAD');
  git('tag', 'Feature/#12+fix');
  git('branch', 'Release/2.0+RC#1');
});

describe.each([
  ['in a sandbox', cell],
  ['without a sandbox', null],
])('a repository of strangers, %s', (_, room) => {
  const dir = join(root, `deploys-${room === null ? 'open' : 'room'}`);
  const sources = createSourceStore({
    dir,
    repositoriesDirs: [join(root, 'repositories')],
    closed: [],
    cell: room,
    path,
    hosts: { privateOnes: [], trustDir: null },
  });
  const deps = { git: createGit({ path, home: dir, cell: room }), path };
  const fetch = (ref = 'HEAD', folder = '') => sources.fetch({ address: `${home}${folder}`, login: null }, ref, signal);
  const read = async (at: string, { fromLine = 1, ref = 'HEAD', folder = '' } = {}) =>
    readCommitPath(deps, await fetch(ref, folder), { path: at, fromLine }, signal);
  const search = async (words: readonly string[], { at = '', folder = '' } = {}) => {
    const found = await searchCommit(deps, await fetch('HEAD', folder), { words, path: at }, signal);
    if (found.kind !== 'found') throw new Error(found.problem);
    return found;
  };
  const skip = room === null ? false : cell === null;

  it.skipIf(skip)('shows the lines of a file at a version, and the entries of a folder', async () => {
    expect(await read('src/server.js', { ref: 'v1' })).toEqual({
      kind: 'text',
      commit: first,
      sizeBytes: expect.any(Number),
      totalLines: 2,
      fromLine: 1,
      toLine: 2,
      text: `const port = process.env.PORT;\nconsole.log('Hello', port);`,
    });
    expect(await read('src')).toEqual({
      kind: 'folder',
      commit: last,
      entries: [{ name: 'server.js', kind: 'file', sizeBytes: expect.any(Number) }],
      total: 1,
    });
    expect(await read('')).toMatchObject({ kind: 'folder', total: 14 });
  });

  it.skipIf(skip)('reads refs as git takes them, with upper case, slashes, hashes and pluses', async () => {
    for (const ref of ['Feature/#12+fix', 'Release/2.0+RC#1', last, last.slice(0, 8)])
      expect([ref, await read('src/server.js', { ref })]).toEqual([ref, expect.objectContaining({ commit: last })]);
    for (const ref of ['--upload-pack=touch /tmp/x', 'main..v1', '@{-1}', 'v1^{/first}', 'v1:src', '-n', 'HEAD~1'])
      await expect(read('src/server.js', { ref })).rejects.toThrow(/I know no tag, branch or commit/);
  });

  it.skipIf(skip)('follows no link and enters no submodule, but says what stands there', async () => {
    expect(await read('outside')).toEqual({ kind: 'link', commit: last, target: '/etc/passwd' });
    expect(await read('inside')).toEqual({ kind: 'link', commit: last, target: 'src' });
    expect(await read('library')).toEqual({ kind: 'submodule', commit: last });
    for (const at of ['inside/server.js', 'outside/x', 'library/README.md'])
      await expect(read(at)).rejects.toThrow(/I know no file or folder of/);
  });

  it.skipIf(skip)('takes every name literally, whatever git could read into it', async () => {
    for (const [at, text] of [
      ['-n', 'an option as a name'],
      [':(top)magic.txt', 'magic'],
      ['two\nlines.txt', 'two lines'],
      ['Ä/ü.txt', 'grüßen'],
    ])
      expect(await read(at ?? '')).toMatchObject({ kind: 'text', text });
    for (const at of ['*.txt', ':/src', ':!src', '--output=x', 'src/*', '.git/config', 'HEAD', 'config', 'objects'])
      await expect(read(at)).rejects.toThrow(/I know no/);
  });

  it.skipIf(skip)('names what stands beside a path that does not exist', async () => {
    await expect(read('src/sever.js')).rejects.toThrow(
      /in src of .{7} named sever\.js.*server\.js \(did you mean this\?\)/,
    );
    await expect(read('apps/wbe/index.html')).rejects.toThrow(/in apps of .{7} named wbe.*web \(did you mean this\?\)/);
  });

  it.skipIf(skip)('shows neither binary nor large files, and cuts long ones after whole lines', async () => {
    expect(await read('binary.dat')).toMatchObject({ kind: 'binary', sizeBytes: 5 });
    expect(await read('large.txt')).toMatchObject({ kind: 'large', sizeBytes: 1_380_000 });
    const begin = await read('many.txt');
    if (begin.kind !== 'text') throw new Error(begin.kind);
    expect(begin.text.length).toBeLessThanOrEqual(6_000);
    expect(begin.text.endsWith(`row ${begin.toLine} of many`)).toBe(true);
    expect(await read('many.txt', { fromLine: begin.toLine + 1 })).toMatchObject({
      totalLines: 900,
      text: expect.stringMatching(new RegExp(`^row ${begin.toLine + 1} of many\n`)),
    });
    expect(await read('many.txt', { fromLine: 901 })).toMatchObject({ toLine: 900, text: '', totalLines: 900 });
    expect(await read('long.txt')).toMatchObject({ text: `${'x'.repeat(1_000)}… (+4007)` });
  });

  it.skipIf(skip)('shows no secret, also over several lines, and later lines keep their numbers', async () => {
    const shown = await read('keys.txt');
    if (shown.kind !== 'text') throw new Error(shown.kind);
    expect(shown.text).not.toMatch(/MIIE|qEKg|ghp_/);
    expect(shown.text.split('\n')).toHaveLength(8);
    expect(shown.text.split('\n')[5]).toBe('after');
    expect(await search(['after'])).toMatchObject({ places: [{ path: 'keys.txt', line: 6, text: 'after' }] });
  });

  it.skipIf(skip)('finds no secret, so that nobody can guess one by searching', async () => {
    for (const guess of ['MIIEpAIBAAK', 'qEKgQq', 'ghp_16C7e', 'ghp_'])
      expect([guess, await search([guess])]).toEqual([guess, expect.objectContaining({ places: [], total: 0 })]);
    const beside = await search(['token']);
    expect(beside.places).toEqual([{ path: 'keys.txt', line: 7, text: expect.not.stringContaining('ghp_') }]);
  });

  it.skipIf(skip)(
    'finds lines with all words, in upper or lower case, and takes no word as a pattern or option',
    async () => {
      expect(await search(['PORT', 'morning'])).toMatchObject({
        places: [{ path: 'src/server.js', line: 2, text: `console.log('Good morning', port);` }],
        total: 1,
        files: 1,
        isCut: false,
      });
      for (const words of [
        ['.*'],
        ['--version'],
        ['-e', 'x'],
        ['-O', 'xdg-open'],
        ['p[oa]rt'],
        ['$(id)'],
        ['needle', 'hello'],
      ])
        expect([words, await search(words)]).toEqual([words, expect.objectContaining({ places: [] })]);
      expect((await search(['needle'])).places[0]?.text).toMatch(/^…x+ needle$/);
    },
  );

  it.skipIf(skip)('returns some places of many and says how many there are', async () => {
    const found = await search(['row']);
    expect(found).toMatchObject({ total: 900, files: 1, isCut: false });
    expect(found.places).toHaveLength(8);
    expect(await search(['row'], { at: 'src' })).toMatchObject({ total: 0 });
    await expect(search(['row'], { at: 'nowhere' })).rejects.toThrow(/I know no file or folder of/);
  });

  it.skipIf(skip)('is only the folder of the project when the project is a folder', async () => {
    const folder = '#:apps/web';
    expect(await read('', { folder })).toMatchObject({ kind: 'folder', entries: [{ name: 'index.html' }] });
    expect(await read('index.html', { folder })).toMatchObject({ text: '<h1>web</h1>' });
    await expect(read('src/server.js', { folder })).rejects.toThrow(/I know no/);
    expect((await search(['port'], { folder })).places).toEqual([]);
    expect((await search(['h1'], { folder })).places).toMatchObject([{ path: 'index.html' }]);
    const [before, after] = [await fetch('v1', folder), await fetch('HEAD', folder)];
    expect(await compareCommits(deps, { before, after }, signal)).toMatchObject({ addedTotal: 0, filesChanged: 0 });
  });

  it.skipIf(skip)('shows the lines of a file that differ between two versions, without secrets', async () => {
    const [before, after] = [await fetch('v1'), await fetch('HEAD')];
    const diffOf = (path: string): Promise<unknown> => compareCommits(deps, { before, after, path }, signal);
    expect(await diffOf('src/server.js')).toMatchObject({
      diff: {
        text: expect.stringMatching(/\n-console\.log\('Hello', port\);\n\+console\.log\('Good morning', port\);$/),
      },
    });
    expect(await diffOf('src')).toMatchObject({ diff: { text: expect.stringContaining('Good morning') } });
    expect(await diffOf('apps')).toMatchObject({ diff: { text: '', totalLines: 0 } });
    expect(await diffOf('many.txt')).toMatchObject({ diff: { totalLines: 906 } });
    const keys = JSON.stringify(await diffOf('keys.txt'));
    expect(keys).toContain('the end');
    expect(keys).not.toMatch(/MIIE|ghp_16C7/);
    await expect(diffOf('-n/nowhere')).rejects.toThrow(/I know no/);
    await expect(diffOf('src/sever.js')).rejects.toThrow(/server\.js/);
  });

  it.skipIf(skip)('lists the commits between two versions in both directions', async () => {
    const [before, after] = [await fetch('v1'), await fetch('HEAD')];
    const compared = await compareCommits(deps, { before, after }, signal);
    expect(compared).toEqual({
      kind: 'compared',
      before: first,
      after: last,
      added: [{ commit: last, at: expect.stringMatching(/Z$/), subject: 'second: [secret] is a token', author: 'Ada' }],
      addedTotal: 1,
      removed: [],
      removedTotal: 0,
      filesChanged: 13,
      files: expect.arrayContaining([
        { path: 'src/server.js', added: expect.any(Number), removed: expect.any(Number) },
      ]),
      diff: null,
    });
    const back = await compareCommits(deps, { before: after, after: before }, signal);
    expect(back).toMatchObject({ addedTotal: 0, removedTotal: 1, removed: [{ commit: last }] });
  });
});

it('a path with a step up or a control character is refused, and others are written as git writes them', () => {
  for (const path of ['..', '../x', 'src/../../x', 'a/..', 'a\u0000b', 'a\nb', 'x'.repeat(501)])
    expect([path, RepositoryPath.safeParse(path).success]).toEqual([path, false]);
  for (const [path, written] of [
    ['.', ''],
    ['/', ''],
    ['./src//app.ts/', 'src/app.ts'],
    ['/etc/passwd', 'etc/passwd'],
    ['..x/...', '..x/...'],
  ])
    expect(RepositoryPath.parse(path)).toBe(written);
});

it('lines are cut whole and counted from the line that was asked for', () => {
  expect(cutLines(['a', 'b', 'c'], 2)).toEqual({ totalLines: 3, fromLine: 2, toLine: 3, text: 'b\nc' });
  expect(cutLines([], 1)).toEqual({ totalLines: 0, fromLine: 1, toLine: 0, text: '' });
});
