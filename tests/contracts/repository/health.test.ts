import { describe, expect, it } from 'vitest';
import { HEALTH_ANALYZER } from '@signalbox/analysis/analyzers/quality/health/health';
import { analyze } from '../../support/analyze.ts';

const code = (lines: number): string => 'run();\n'.repeat(lines);
const find = async (texts: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const { found } = await analyze(HEALTH_ANALYZER, texts);
  return found.map(({ rule, path }) => `${rule} ${path}`);
};
const GOOD = { 'README.md': '# A', '.gitignore': 'dist', '.github/workflows/a.yml': 'steps:\n  - run: npm test' };

describe('the health analyzer', () => {
  it('reports missing tests, builds, a readme and an ignore file only where there is code', async () => {
    expect(await find({ 'a.ts': code(501) })).toEqual([
      'health/no-tests .',
      'health/no-ci .',
      'health/no-readme .',
      'health/no-ignore-file .',
    ]);
    expect(await find({ ...GOOD, 'a.ts': code(501), 'a.test.ts': code(1) })).toEqual([]);
    expect(await find({ ...GOOD, 'a.rs': `${code(501)}#[cfg(test)]\nmod tests {}` })).toEqual([]);
    expect(await find({ 'a.ts': code(20), 'README.md': '# A' })).toEqual([]);
    expect(await find({ 'notes.txt': 'a' })).toEqual([]);
  });

  it('reports a build that runs no tests, but not a build that calls another script', async () => {
    const texts = { ...GOOD, 'a.test.ts': code(3) };
    const build = async (text: string): Promise<readonly string[]> =>
      find({ ...texts, '.github/workflows/a.yml': text });
    expect(await build('steps:\n  - run: npm publish # no tests\n')).toEqual(['health/ci-without-tests .']);
    for (const call of [
      'run: make',
      'run: ./mvnw -B package',
      'uses: a/b/.github/workflows/c.yml@v1',
      'run: ./scripts/all.sh',
    ])
      expect([call, await build(`steps:\n  - ${call}\n`)]).toEqual([call, []]);
  });

  it('reports the one module without tests among modules with tests', async () => {
    const modules = (tested: readonly string[], names: readonly string[]): Readonly<Record<string, string>> =>
      Object.fromEntries(
        names.flatMap((name) => [
          [`packages/${name}/package.json`, '{}'],
          [`packages/${name}/src/a.ts`, code(600)],
          ...(tested.includes(name) ? [[`packages/${name}/src/a.test.ts`, code(1)] as const] : []),
        ]),
      );
    expect(await find({ ...GOOD, ...modules(['one', 'two'], ['one', 'two', 'three']) })).toEqual([
      'health/untested-module packages/three',
    ]);
    // Tests are kept elsewhere: by the name of the module, or altogether.
    expect(await find({ ...GOOD, ...modules(['one'], ['one', 'two']), 'tests/two/a.test.ts': code(1) })).toEqual([]);
    expect(await find({ ...GOOD, ...modules(['one'], ['one', 'two', 'three']), 'e2e/a.ts': code(1) })).toEqual([]);
  });

  it('reports committed files that should be ignored, once for each folder', async () => {
    const found = await find({
      ...GOOD,
      'web/node_modules/a/index.js': 'a',
      'web/node_modules/a/node_modules/b/index.js': 'a',
      'app/__pycache__/a.pyc': 'a',
      'app/__pycache__/b.pyc': 'a',
      'app/.DS_Store': 'a',
      'big.bin': 'a'.repeat(6_000_000),
      'data.csv': 'a'.repeat(1_500_000),
      'photo.jpg': 'a'.repeat(1_500_000),
      'package-lock.json': 'a'.repeat(1_500_000),
      'tests/fixtures/node_modules/a/index.js': 'a',
      'docs/objects.o.md': 'a',
    });
    expect(found).toEqual([
      'health/committed-dependencies web/node_modules',
      'health/committed-build app/__pycache__',
      'health/committed-junk app/.DS_Store',
      'health/large-file big.bin',
      'health/large-file data.csv',
    ]);
  });

  it('summarizes the parts of the score', async () => {
    const { summary } = await analyze(HEALTH_ANALYZER, {
      ...GOOD,
      'src/a.ts': code(10),
      'src/a.test.ts': code(4),
      'package.json': '{}',
      'package-lock.json': '{}',
      'tool/pyproject.toml': '',
    });
    expect(summary).toEqual({
      hasReadme: true,
      hasBuild: true,
      buildRunsTests: true,
      hasIgnoreFile: true,
      lines: 10,
      testLines: 4,
      modules: 0,
      testedModules: 0,
      manifests: 2,
      locked: 1,
      commits: 1,
      authors: 1,
      committedAt: Date.UTC(2026, 0, 1) / 1_000,
    });
  });

  it('reads paths that are made to be slow within a second of processor time', async () => {
    // The processor's time, not the clock's: the machine may be busy with something else.
    const before = process.cpuUsage();
    const paths = ['a/', 'node_modules', '-', '.o', '~'].map((one) => one.repeat(4_000 / one.length));
    await analyze(HEALTH_ANALYZER, Object.fromEntries(paths.map((path) => [path, ''])));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
