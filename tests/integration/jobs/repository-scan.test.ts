import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Analyzer } from '@signalbox/analysis/analyzer';
import type { ScanCache } from '@signalbox/analysis/scan/cache';
import { openScanner, scanCommit } from '@signalbox/analysis/scan/scan';

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Words in capitals behind TODO, by file. */
const words = (name: string, reach: Analyzer['reach'], version = 1): Analyzer<readonly string[]> => ({
  name,
  version,
  reach,
  wants: ({ path }) => !path.endsWith('.skip'),
  inspect: (_, text) => {
    const found = text.match(/TODO-[A-Z]+/g);
    return found && [...new Set(found)];
  },
  conclude: async (noted, view) => {
    const churn = await view.churn();
    return {
      found: noted.flatMap(({ path, facts, commit, isCurrent }) =>
        facts.map((word) => ({
          rule: `${name}/todo`,
          severity: isCurrent ? ('low' as const) : ('info' as const),
          path,
          line: null,
          evidence: word,
          values: {
            commit: commit ?? '',
            times: churn.get(path)?.commits ?? 0,
            lines: churn.get(path)?.linesOfYear ?? 0,
          },
          identity: word,
        })),
      ),
      summary: { ...(await view.history()) },
    };
  },
});
const BOTH = [words('now', 'commit'), words('ever', 'history')];

describe('a scan', () => {
  let dir = '';
  let clock = 0;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'signalbox-scan-'));
    clock = 1_700_000_000;
    git('init', '--quiet', '--initial-branch=main');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const git = (...args: readonly string[]): string => {
    clock += 60;
    const who = ['-c', 'user.name=Ada', '-c', `user.email=${clock % 3}@example.org`, '-c', 'commit.gpgsign=false'];
    const env = { PATH, HOME: dir, GIT_AUTHOR_DATE: `${clock} +0000`, GIT_COMMITTER_DATE: `${clock} +0000` };
    return execFileSync('git', [...who, ...args], { cwd: dir, env, encoding: 'utf8' }).trim();
  };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const commit = (): string => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'change');
    return git('rev-parse', 'HEAD');
  };
  const look = async (head: string, cache?: ScanCache, analyzers: readonly Analyzer[] = BOTH) =>
    scanCommit(
      { dir: join(dir, '.git'), path: PATH, signal: AbortSignal.timeout(60_000) },
      { commit: head, folder: null },
      analyzers,
      cache,
    );
  const found = ({ result }: Awaited<ReturnType<typeof look>>, name: string) =>
    result.conclusions[name]?.found.map(({ path, evidence, severity }) => `${severity} ${path} ${evidence}`);

  it('reads the files of a commit, and the history of branches and tags', async () => {
    write('a.txt', 'TODO-ONE');
    commit();
    write('a.txt', 'TODO-TWO');
    write('deep/er/b.txt', 'nothing');
    const whole = await look(commit());
    expect(found(whole, 'now')).toEqual(['low a.txt TODO-TWO']);
    expect(found(whole, 'ever')).toEqual(['info a.txt TODO-ONE', 'low a.txt TODO-TWO']);
    expect(whole.result.conclusions['now']?.summary).toMatchObject({ commits: 2, branches: 1, tags: 0 });
  });

  it('finds a secret that was removed again on a merged branch, with the commit that added it', async () => {
    write('a.txt', 'plain');
    commit();
    git('checkout', '--quiet', '-b', 'side');
    write('b.txt', 'TODO-SIDE');
    const brought = commit();
    rmSync(join(dir, 'b.txt'));
    commit();
    git('checkout', '--quiet', 'main');
    git('merge', '--quiet', '--no-ff', '--message', 'merge', 'side');
    const whole = await look(git('rev-parse', 'HEAD'));
    expect(whole.result.conclusions['ever']?.found).toMatchObject([{ path: 'b.txt', values: { commit: brought } }]);
  });

  it('finds text that only a merge commit added', async () => {
    write('a.txt', 'one\n');
    commit();
    git('checkout', '--quiet', '-b', 'side');
    write('b.txt', 'two\n');
    commit();
    git('checkout', '--quiet', 'main');
    write('c.txt', 'three\n');
    commit();
    git('merge', '--quiet', '--no-ff', '--no-commit', 'side');
    write('a.txt', 'TODO-MERGED\n');
    commit();
    write('a.txt', 'four\n');
    expect(found(await look(commit()), 'ever')).toEqual(['info a.txt TODO-MERGED']);
  });

  it('reads file names that contain line breaks, quotes or separators', async () => {
    const names = ['a\nb.txt', '"quoted".txt', '\u0001 1 x.txt', '-rf', 'ünï\tcode.txt', ':100644 100644 a b M'];
    for (const name of names) write(name, `TODO-${'ABCDEF'[names.indexOf(name)]}`);
    const whole = await look(commit());
    const paths = (name: string) => whole.result.conclusions[name]?.found.map(({ path }) => path);
    expect(paths('now')).toEqual(names.toSorted());
    for (const name of names) rmSync(join(dir, name));
    expect((await look(commit())).result.conclusions['ever']?.found.map(({ path }) => path)).toEqual(names.toSorted());
  });

  it('follows no links, enters no submodules, and inspects texts of any encoding up to a megabyte', async () => {
    write('plain.txt', 'TODO-PLAIN');
    symlinkSync('/etc/passwd', join(dir, 'link'));
    writeFileSync(join(dir, 'binary.txt'), Buffer.from('TODO-BINARY\0'));
    writeFileSync(join(dir, 'latin.txt'), Buffer.from([0x54, 0x4f, 0x44, 0x4f, 0x2d, 0x41, 0xff]));
    write('large.txt', `TODO-LARGE${' '.repeat(1_000_000)}`);
    git('add', '--all');
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
    const seen: string[] = [];
    const watcher: Analyzer = {
      ...words('now', 'history'),
      inspect: (path) => {
        seen.push(path);
        return null;
      },
      conclude: ({ length }, { links, submodules }) => ({
        found: [],
        summary: { length, links: [...links], submodules: [...submodules] },
      }),
    };
    git('commit', '--quiet', '--message', 'all');
    const { result } = await look(git('rev-parse', 'HEAD'), undefined, [watcher]);
    expect(seen).toEqual(['binary.txt', 'latin.txt', 'plain.txt']);
    expect(result.conclusions['now']?.summary).toEqual({
      length: 0,
      links: [{ path: 'link', target: '/etc/passwd' }],
      submodules: ['module'],
    });
  });

  it('reads every file again when an analyzer has a new version', async () => {
    write('a.txt', 'TODO-ONE');
    const head = commit();
    const { cache } = await look(head, undefined, [words('now', 'commit')]);
    const { result } = await look(head, cache, [words('now', 'commit')]);
    expect(result).toMatchObject({ inspected: 0, known: 1 });
    const other = await look(head, cache, [words('now', 'commit', 2)]);
    expect(other.result).toMatchObject({ inspected: 1, known: 0 });
  });

  it('asks each analyzer for its conclusion once, and returns each cache entry once', async () => {
    write('a.txt', 'TODO-ONE');
    const [now, ever] = [words('now', 'commit'), words('ever', 'history')];
    let concluded = 0;
    const counting = {
      ...now,
      conclude: (...seen: Parameters<typeof now.conclude>) => (concluded++, now.conclude(...seen)),
    };
    const mirror = { dir: join(dir, '.git'), path: PATH, signal: AbortSignal.timeout(60_000) };
    const scanner = await openScanner(mirror, { commit: commit(), folder: null }, () => null);
    try {
      const first = await scanner.scan([counting]);
      expect(first).toMatchObject({ result: { inspected: 1, known: 0 }, cache: { now: {}, churn: {} } });
      const second = await scanner.scan([counting, ever]);
      expect(second).toMatchObject({ result: { inspected: 1, known: 2 } });
      expect(second.result.conclusions['now']).toEqual(first.result.conclusions['now']);
      expect(Object.keys(second.cache)).toEqual(['ever']);
      expect(concluded).toBe(1);
    } finally {
      scanner.close();
    }
  });

  const edit = fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      path: fc.constantFrom('a', 'b', 'c/d', 'c/e', 'x.skip'),
      text: fc.constantFrom('', 'plain', 'TODO-ONE', 'TODO-TWO', 'TODO-ONE TODO-THREE'),
    }),
    fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom('a', 'b', 'c/d') }),
    fc.record({ kind: fc.constantFrom('branch' as const, 'back' as const, 'reset' as const, 'tag' as const) }),
  );
  it('finds the same problems with and without its cache', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(edit, { maxLength: 3 }), { minLength: 2, maxLength: 5 }), async (steps) => {
        rmSync(dir, { recursive: true, force: true });
        mkdirSync(dir);
        git('init', '--quiet', '--initial-branch=main');
        let cache: ScanCache | undefined;
        for (const [place, step] of steps.entries()) {
          for (const one of step)
            if (one.kind === 'write') write(one.path, one.text);
            else if (one.kind === 'remove') rmSync(join(dir, one.path), { force: true });
            else if (place > 0 && one.kind === 'reset')
              git('reset', '--quiet', '--hard', git('rev-list', '--count', 'HEAD') === '1' ? 'HEAD' : 'HEAD~1');
            else if (place > 0 && one.kind === 'tag') git('tag', '--force', 't');
            else if (place > 0)
              git(
                'checkout',
                '--quiet',
                '--force',
                one.kind === 'branch' ? '-B' : 'main',
                ...(one.kind === 'branch' ? ['side'] : []),
              );
          const head = commit();
          const warm = await look(head, cache);
          const cold = await look(head);
          expect(warm.result.conclusions).toEqual(cold.result.conclusions);
          // What is kept is what JSON holds.
          cache = JSON.parse(JSON.stringify(warm.cache)) as ScanCache;
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
