import { describe, expect, it } from 'vitest';
import { findSecrets } from '../analyzers/secrets/secrets/find-secrets.ts';
import { RULES } from '../rules/rules.ts';
import type { FixableFinding, FixFiles, FixPlan } from './fix.ts';
import { hasLockedVersion } from './lock-fixes.ts';
import { writePin } from './pin-fix.ts';
import { explainUnfixable } from './fixable.ts';
import { planFix } from './plan-fix.ts';

const SECRET = 'xK9mQ2vL7pRt4WzB8nY3';
const filesOf = (files: Readonly<Record<string, string>>, folder: string | null = null): FixFiles => ({
  folder,
  read: async (path) => files[path] ?? null,
  list: async () => Object.keys(files),
});
const finding = (rule: string, path: string, more: Partial<FixableFinding> = {}): FixableFinding => ({ rule, path, line: null, values: {}, ...more }); // prettier-ignore
const plan = (one: FixableFinding, files: Readonly<Record<string, string>>) => planFix(one, filesOf(files));
function editsOf(found: FixPlan): Readonly<Record<string, string | null>> {
  if (found.kind !== 'edits') throw new Error(JSON.stringify(found));
  return Object.fromEntries(found.files.map(({ path, text }) => [path, text]));
}
/** The finding that a scan has of the first secret in a text. */
function scan(path: string, text: string): FixableFinding {
  const [secret] = findSecrets(path, text);
  if (!secret) throw new Error(`no secret in ${text}`);
  return finding(`secrets/${secret.rule}`, path, { line: text.slice(0, secret.start).split('\n').length });
}

describe('a secret in code', () => {
  it.each([
    ['a.js', `const dbPassword = '${SECRET}';\nrun();\n`, 'const dbPassword = process.env.DB_PASSWORD;\nrun();\n'],
    ['a.mjs', `connect({ api_key: "${SECRET}", port: 1 });\n`, 'connect({ api_key: process.env.API_KEY, port: 1 });\n'],
    ['a.ts', `export const apiKey = '${SECRET}';\n`, "export const apiKey = (process.env['API_KEY'] ?? '');\n"],
    ['a.py', `"""Doc."""\nfrom __future__ import annotations\nAPI_KEY = "${SECRET}"\n`, '"""Doc."""\nfrom __future__ import annotations\nimport os\nAPI_KEY = os.environ["API_KEY"]\n'],
    ['b.py', `import sys\npassword = '${SECRET}'\n`, 'import os\nimport sys\npassword = os.environ["PASSWORD"]\n'],
    ['a.go', `package a\n\nimport (\n\t"fmt"\n)\n\nvar apiKey = "${SECRET}"\n`, 'package a\n\nimport (\n\t"os"\n\t"fmt"\n)\n\nvar apiKey = os.Getenv("API_KEY")\n'],
    ['a.rb', `api_key = "${SECRET}"\n`, 'api_key = ENV.fetch("API_KEY")\n'],
    ['A.java', `String apiKey = "${SECRET}";\n`, 'String apiKey = System.getenv("API_KEY");\n'],
    ['docker-compose.yml', `services:\n  db:\n    environment:\n      DB_PASSWORD: ${SECRET}\n`, 'services:\n  db:\n    environment:\n      DB_PASSWORD: ${DB_PASSWORD:?}\n'],
  ])('of %s is read from the environment, and a scan finds no secret afterwards', async (path, text, expected) => {
    const found = await plan(scan(path, text), { [path]: text });
    expect(editsOf(found)).toEqual({ [path]: expected });
    expect(findSecrets(path, expected)).toEqual([]);
    expect(found).toMatchObject({ summary: expect.stringContaining('revoke it where it was issued') });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  }); // prettier-ignore

  it('is listed in .env.example when the project has one, once and without its value', async () => {
    const text = `const apiKey = '${SECRET}';\n`;
    const edits = editsOf(await plan(scan('a.js', text), { 'a.js': text, '.env.example': 'PORT=1' }));
    expect(edits['.env.example']).toBe('PORT=1\nAPI_KEY=\n');
    expect(
      Object.keys(editsOf(await plan(scan('a.js', text), { 'a.js': text, '.env.example': '# API_KEY=' }))),
    ).toEqual(['a.js']);
  });

  it.each([
    ['a part of a text', 'a.js', `const apiKey = 'Bearer ${SECRET}';\n`],
    ['a constant of Go', 'a.go', `const apiKey = "${SECRET}"\n`],
    ['a text that Python fills in', 'a.py', `api_key = f"${SECRET}"\n`],
    ['code for browsers', 'src/App.tsx', `const apiKey = '${SECRET}';\n`],
    ['a kind of file without variables', 'a.json', `{"api_key": "${SECRET}"}\n`],
  ])('is left to a person when it is %s', async (_, path, text) => {
    const one = findSecrets(path, text).length > 0 ? scan(path, text) : finding('secrets/hardcoded', path, { line: 1 });
    expect(await plan(one, { [path]: text })).toMatchObject({ kind: 'none', why: expect.stringMatching(/\.$/) });
  });

  it('that is gone is not fixed a second time', async () => {
    expect(await plan(finding('secrets/hardcoded', 'a.js', { line: 1 }), { 'a.js': 'run();' })).toMatchObject({
      kind: 'none',
      why: 'The secret is no longer there: scan again.',
    });
  });
});

describe('a dependency with a known weakness', () => {
  const values = { name: '@scope/tea', version: '1.2.3', id: 'CVE-1', fixed: '1.2.4', state: 'fixed' };
  const at = (path: string, more = {}) =>
    finding('advisories/known-weakness', path, { values: { ...values, ...more } });

  it.each([
    ['package-lock.json', '{}', 'npm update @scope/tea --package-lock-only --ignore-scripts'],
    ['web/pnpm-lock.yaml', 'lockfileVersion: 9', 'npx --yes pnpm@10 update @scope/tea'],
    ['yarn.lock', '# yarn lockfile v1', 'npx --yes yarn@1.22.22 upgrade @scope/tea --ignore-scripts'],
    [
      'yarn.lock',
      '__metadata:\n  version: 8',
      'npx --yes @yarnpkg/cli-dist@4 up --recursive @scope/tea --mode=update-lockfile',
    ],
  ])('is raised in %s by its package manager, which runs no script', async (path, lock, words) => {
    const folder = path.includes('/') ? 'web' : '';
    const found = await plan(at(path), { [path]: lock, [`${folder === '' ? '' : 'web/'}package.json`]: '{}' });
    if (found.kind !== 'lock') throw new Error(found.kind);
    expect(found.words.join(' ')).toContain(words);
    expect(found).toMatchObject({ folder, lockFile: path, gone: { name: '@scope/tea', version: '1.2.3' } });
  });

  it('is not raised by a name that a command could misread', async () => {
    for (const name of ['--global', '../x', 'a b', '@x', 'https://evil.example/x.tgz', 'a@npm:b'])
      expect(
        await plan(at('package-lock.json', { name }), { 'package.json': '{}', 'package-lock.json': '{}' }),
      ).toMatchObject({ kind: 'none' });
  });

  it('is not raised while no version mends it', async () => {
    expect(explainUnfixable(at('package-lock.json', { state: 'open' }))).toMatch(
      /no version without this weakness is known/,
    );
  });

  it.each([
    ['npm', JSON.stringify({ packages: { 'node_modules/x/node_modules/tea': { version: '1.2.3' } } }), true],
    ['npm', JSON.stringify({ packages: { 'node_modules/green-tea': { version: '1.2.3' } } }), false],
    ['pnpm', "lockfileVersion: '9.0'\npackages:\n  tea@1.2.3:\n", true],
    ['Yarn', 'tea@^1.0.0:\n  version "1.2.3"\n', true],
    ['Yarn 4', '"tea@npm:^1.0.0":\n  version: 1.2.3\n', true],
    ['Yarn', 'tea@^1.0.0:\n  version "1.2.4"\n\ngreen-tea@1:\n  version "1.2.3"\n', false],
  ])('is looked for in the lock file of %s afterwards', (_, lock, expected) => {
    expect(hasLockedVersion(lock, { name: 'tea', version: '1.2.3' })).toBe(expected);
  });
});

describe('a file', () => {
  it('that is missing is added, and says only what the others show', async () => {
    const manifest = JSON.stringify({ name: 'shop', description: 'Sells *tea*', scripts: { test: 'x', 'a b': 'x' } });
    const readme = editsOf(await plan(finding('health/no-readme', '.'), { 'package.json': manifest }));
    expect(readme['README.md']).toBe('# shop\n\nSells \\*tea\\*\n\n```\nnpm install\nnpm run test\n```\n');
    const ignored = editsOf(
      await plan(finding('health/no-ignore-file', '.'), { 'package.json': '{}', 'a/requirements.txt': '' }),
    );
    expect(ignored['.gitignore']?.split('\n')).toEqual(['node_modules/', 'npm-debug.log*', '__pycache__/', '*.pyc', '.venv/', '.env', '.DS_Store', '']); // prettier-ignore
    expect(await plan(finding('health/no-readme', '.'), { 'README.md': '' })).toMatchObject({ kind: 'none' });
  });

  it('that a program left behind is deleted', async () => {
    expect(editsOf(await plan(finding('health/committed-junk', 'a.orig'), { 'a.orig': 'x' }))).toEqual({
      'a.orig': null,
    });
  });

  it.each([
    ['describe.only("a", f)', 'describe("a", f)'],
    ['fit("a", f)', 'it("a", f)'],
    ['  it.only.each([1])("a", f)', '  it.each([1])("a", f)'],
  ])('with the focused test %s runs all its tests again', async (before, after) => {
    const found = await plan(finding('code/focused-test', 'a.test.js', { line: 2 }), {
      'a.test.js': `x\n${before}\ny`,
    });
    expect(editsOf(found)).toEqual({ 'a.test.js': `x\n${after}\ny` });
  });

  it('of a workflow names an action by the commit that a forge tells', async () => {
    const files = filesOf({ '.github/workflows/a.yml': 'steps:\n  - uses: "ada/brew/fast@v2" # old\n' });
    const pin = await planFix(finding('risk/action-unpinned', '.github/workflows/a.yml', { line: 2 }), files);
    if (pin.kind !== 'pin') throw new Error(pin.kind);
    expect(pin).toMatchObject({ owner: 'ada', repository: 'brew', ref: 'v2' });
    const commit = 'a'.repeat(40);
    expect(editsOf(await writePin(pin, commit, files))).toEqual({
      '.github/workflows/a.yml': `steps:\n  - uses: "ada/brew/fast@${commit}" # v2\n`,
    });
  });
});

describe('every rule', () => {
  it('is fixed, or says why not in a whole sentence', () => {
    const reasons = Object.keys(RULES).map((rule) => explainUnfixable({ rule, values: {} }));
    expect(reasons.filter((reason) => reason === null)).toHaveLength(10);
    expect(reasons.filter((reason) => reason !== null && !/^I .*\.$/.test(reason))).toEqual([]);
  });
});
