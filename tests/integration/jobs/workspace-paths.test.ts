import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openWorkspaceBench, type WorkspaceBench } from './workspace-bench.ts';

const SECRET = 'the secret outside';

let bench: WorkspaceBench;
let outside: string;
beforeAll(async () => {
  bench = await openWorkspaceBench({});
  outside = makeTemporaryFolder('outside');
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  await bench.ask('workspace.write', { path: 'docs/a.md', content: 'inside' });
  symlinkSync(outside, join(bench.root, 'out'));
  symlinkSync(join(outside, 'secret.txt'), join(bench.root, 'secret.txt'));
  symlinkSync('docs', join(bench.root, 'inner'));
  linkSync(join(outside, 'secret.txt'), join(bench.root, 'hard.txt'));
  execFileSync('mkfifo', [join(bench.root, 'pipe')]);
});
afterAll(() => bench.close());

const read = (path: string) => bench.ask('workspace.read', { path, fromLine: 1, lines: 10 });
const write = (path: string, bounds: Parameters<WorkspaceBench['ask']>[2] = {}) =>
  bench.ask('workspace.write', { path, content: 'overwritten' }, bounds);
const code = (answer: unknown): unknown => bench.refusal(answer);

const ATTACKS = [
  ['a parent', '../notes'],
  ['a parent further down', 'docs/../../files/x'],
  ['an absolute path', '/etc/passwd'],
  ['a home folder', '~/x'],
  ['a backslash', '..\\x'],
  ['a link to a folder outside', 'out/secret.txt'],
  ['a link to a file outside', 'secret.txt'],
  ['a link to a folder inside', 'inner/a.md'],
  ['a hard link', 'hard.txt'],
  ['a pipe', 'pipe'],
  ['letters that are composed of two', 'docs/a\u0301.md'],
  ['a character that cannot be seen', 'docs/a\u200b.md'],
  ['a character that turns the direction', 'docs/\u202Egpj.md'],
  ['a name that is too long', `${'x'.repeat(256)}.md`],
] as const;

describe('a path', () => {
  it.each(ATTACKS)('with %s is denied, for reading and for writing', async (_, path) => {
    expect(code(await read(path))).toBe('PATH_DENIED');
    expect(code(await write(path))).toBe('PATH_DENIED');
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect(JSON.stringify(await bench.ask('workspace.list', { path: '.', depth: 5 }))).not.toContain(SECRET);
  });

  it.each([
    '.git/config',
    '.GIT/config',
    '.git./hooks/x',
    'docs/.git/hooks/x',
    '.Git',
    'git~1/config',
    '.git/hooks/pre-commit',
  ])('into the .git folder (%s) is denied for writing', async (path) => {
    expect(code(await write(path))).toBe('PATH_DENIED');
    expect(existsSync(join(bench.root, '.git/hooks/pre-commit'))).toBe(false);
  });

  it('that is swapped for a link during its use never leads out of the workspace', async () => {
    const [folder, other] = [join(bench.root, 'swapped'), join(bench.root, 'aside')];
    mkdirSync(folder);
    writeFileSync(join(folder, 'secret.txt'), 'inside');
    let swapping = true;
    // A write makes a folder that is missing at that moment, which then stands in the way.
    const put = (act: () => void): void => {
      for (;;) {
        try {
          return act();
        } catch {
          rmSync(folder, { recursive: true, force: true });
        }
      }
    };
    const swap = async (): Promise<void> => {
      while (swapping) {
        renameSync(folder, other);
        put(() => symlinkSync(outside, folder));
        await new Promise((done) => setImmediate(done));
        rmSync(folder);
        put(() => renameSync(other, folder));
        await new Promise((done) => setImmediate(done));
      }
    };
    const swapper = swap();
    const answers = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      const answer = await read('swapped/secret.txt');
      answers.add(answer.outcome === 'done' ? answer.result.text : answer.refusal.code);
      await write('swapped/new.txt');
    }
    swapping = false;
    await swapper;
    for (const answer of answers) expect(['inside', 'PATH_DENIED', 'NOT_FOUND', 'PATH_UNSUITABLE']).toContain(answer);
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);
  });
});

describe('the bounds of a class of agents', () => {
  const asClass = (bounds: 'READ_ONLY_SCAN' | 'REGISTRY_STATE' | 'WRITE_GATED' | 'CONTROL_PLANE') => ({ bounds });

  it.each([
    ['READ_ONLY_SCAN', 'prompts/x.md'],
    ['REGISTRY_STATE', 'var/state/x.json'],
    ['REGISTRY_STATE', 'var/registry'],
    ['REGISTRY_STATE', 'var/registryx/y'],
    ['WRITE_GATED', 'Prompts/x.md'],
    ['WRITE_GATED', 'src/x.ts'],
    ['WRITE_GATED', 'SRC/x.ts'],
    ['WRITE_GATED', 'prompts/../src/x.ts'],
    ['CONTROL_PLANE', 'docs/x.md'],
  ] as const)('forbid %s to write %s', async (name, path) => {
    expect(code(await write(path, asClass(name)))).toBe('PATH_DENIED');
    expect(Object.keys(bench.tree())).not.toContain(path);
  });

  it.each([
    ['REGISTRY_STATE', 'var/registry/x.json'],
    ['WRITE_GATED', 'prompts/x.md'],
    ['WRITE_GATED', 'var/artifacts/a/b.txt'],
    ['CONTROL_PLANE', 'var/state/x.json'],
  ] as const)('allow %s to write %s', async (name, path) => {
    await write(path, asClass(name));
    expect(bench.tree()[path]).toBe('overwritten');
  });

  it('apply to diffs too, and one forbidden file rejects the whole diff', async () => {
    const diff =
      '--- /dev/null\n+++ b/prompts/new.md\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+x\n';
    expect(code(await bench.ask('workspace.apply', { diff }, asClass('WRITE_GATED')))).toBe('PATH_DENIED');
    expect(Object.keys(bench.tree())).not.toContain('prompts/new.md');
  });
});

it('every denied access is audited with person, path and reason', async () => {
  await write('../denied-for-the-trail', { actionId: 'act_denied' });
  const { rows } = await bench.jobs.pool.query(
    `select actor, thread_id, data from audit_events where kind = 'file.denied' and action_id = 'act_denied'`,
  );
  expect(rows).toEqual([
    {
      actor: '1001',
      thread_id: 't1',
      data: {
        workspace: 'thread-t1',
        bounds: 'PERSON',
        path: '../denied-for-the-trail',
        why: 'it leads out with ..',
      },
    },
  ]);
});
