import { describe, expect, it } from 'vitest';
import { findChecks, isInstall } from './check-plan.ts';

type Files = Readonly<Record<string, string>>;

async function plan(files: Files): Promise<readonly string[]> {
  const list = async (): Promise<readonly string[]> => Object.keys(files);
  const found = await findChecks({ folder: null, list, read: async (path) => files[path] ?? null });
  return found.map(({ kind, words }) => `${kind}: ${words.join(' ')}`);
}

const manifest = (more: object): string =>
  JSON.stringify({ scripts: { test: 'tape test.js' }, devDependencies: { tape: '5' }, ...more });
const TESTS = { 'tests/test_timed.py': 'def test_it(): pass\n' };

describe('the checks of a project', () => {
  it('run with the package manager that the project names, in its version', async () => {
    const packageManager = 'pnpm@10.14.0-0+sha512.2cd47a0cbf5f';
    expect(await plan({ 'package.json': manifest({ packageManager }), 'pnpm-lock.yaml': '' })).toEqual([
      'dependencies: npx --yes pnpm@10.14.0-0 install --frozen-lockfile',
      'test: npx --yes pnpm@10.14.0-0 run test',
    ]);
    expect(await plan({ 'package.json': manifest({ packageManager: 'yarn@4.9.2' }), 'yarn.lock': '' })).toEqual([
      'dependencies: env YARN_NODE_LINKER=node-modules npx --yes @yarnpkg/cli-dist@4.9.2 install --immutable',
      'test: env YARN_NODE_LINKER=node-modules npx --yes @yarnpkg/cli-dist@4.9.2 run test',
    ]);
  });

  it.each([
    [['pnpm-lock.yaml'], 'npx --yes pnpm@10 install --frozen-lockfile'],
    [['yarn.lock'], 'npx --yes yarn@1.22.22 install --frozen-lockfile'],
    [
      ['yarn.lock', '.yarnrc.yml'],
      'env YARN_NODE_LINKER=node-modules npx --yes @yarnpkg/cli-dist@4 install --immutable',
    ],
    [['package-lock.json', 'yarn.lock'], 'npm ci'],
    [[], 'npm install'],
  ])('fetch dependencies by the lock file: %j', async (names, install) => {
    const locks = Object.fromEntries(names.map((name) => [name, '']));
    expect((await plan({ 'package.json': manifest({}), ...locks }))[0]).toBe(`dependencies: ${install}`);
  });

  it('take no package manager that a shell or npm would read as something else', async () => {
    const packageManager = 'pnpm@10 --registry=https://evil.example';
    const [install] = await plan({ 'package.json': manifest({ packageManager }) });
    expect(install).toBe('dependencies: npx --yes pnpm@10 install --no-frozen-lockfile');
  });

  it.each<[string, Files]>([
    ['pyproject.toml', { 'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n' }],
    ['tox.ini', { 'tox.ini': '[testenv]\ncommands = pytest\n' }],
    ['conftest.py', { 'tests/unit/conftest.py': '' }],
    ['requirements', { 'requirements/tests.txt': 'pytest==9\n' }],
    ['an import', { 'tests/test_more.py': 'import pytest\n' }],
  ])('use pytest when %s names it', async (_, files) => {
    expect((await plan({ ...TESTS, ...files })).at(-1)).toBe('test: .venv/bin/python -m pytest -q');
  });

  it('install the group of the tests from the lock file of uv', async () => {
    const project = '[project]\nname = "x"\n[dependency-groups]\ndev = ["ruff"]\ntests = ["pytest"]\n';
    expect(await plan({ ...TESTS, 'pyproject.toml': project, 'uv.lock': '' })).toEqual([
      'build: python3 -m venv .venv',
      'dependencies: .venv/bin/python -m pip install uv pytest',
      'dependencies: .venv/bin/uv sync --inexact --frozen --no-default-groups --group tests',
      'test: .venv/bin/python -m pytest -q',
    ]);
  });

  it('install the lists of requirements, the package with its extra for tests, and pytest', async () => {
    const project = '[project]\nname = "x"\n[project.optional-dependencies]\ntest = ["pytest"]\n"a; b" = []\n';
    const files = { 'pyproject.toml': project, 'requirements.txt': 'flask\n', 'dev-requirements.txt': 'ruff\n' };
    expect((await plan({ ...TESTS, ...files }))[1]).toBe(
      'dependencies: .venv/bin/python -m pip install --requirement requirements.txt --requirement dev-requirements.txt --editable .[test] pytest',
    );
  });

  it('use unittest, without fetching anything, where nothing else is named', async () => {
    expect(await plan(TESTS)).toEqual(['test: python3 -m unittest discover -q']);
  });

  it.each([
    ['npx --yes pnpm@10.14.0-0 install --frozen-lockfile', true],
    ['npx --yes @yarnpkg/cli-dist@4 install', true],
    ['yarn', true],
    ['.venv/bin/python -m pip install pytest', true],
    ['yarn build', false],
    ['npx --yes pnpm@10 run build', false],
  ])('let only a command that fetches dependencies reach registries: %s', (line, expected) => {
    expect(isInstall(line.split(' '))).toBe(expected);
  });
});
