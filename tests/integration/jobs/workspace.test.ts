import { classifyCommand } from '@signalbox/safety/shell/classification';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { openWorkspaceBench, type WorkspaceBench } from './workspace-bench.ts';

const sandbox = await locateTestSandbox('commands in workspaces');

let bench: WorkspaceBench;
beforeAll(async () => {
  bench = await openWorkspaceBench(sandbox?.settings ?? {});
});
afterAll(() => bench.close());

const SECOND_MS = 1_000;

describe('a workspace', () => {
  it('is an empty git repository when it is new', async () => {
    expect(await bench.ask('workspace.list', { path: '.', depth: 3 })).toEqual({
      outcome: 'done',
      result: { path: '.', entries: [], cut: false },
    });
  });

  it('returns the lines of a written file, and lists its files', async () => {
    const written = await bench.ask('workspace.write', { path: 'docs/notes.md', content: 'one\ntwo\nthree\n' });
    expect(written).toEqual({ outcome: 'done', result: { path: 'docs/notes.md', sizeBytes: 14, created: true } });
    const read = await bench.ask('workspace.read', { path: 'docs/notes.md', fromLine: 2, lines: 1 });
    expect(read).toMatchObject({ outcome: 'done', result: { text: 'two', fromLine: 2, totalLines: 3 } });
    expect(await bench.ask('workspace.list', { path: '.', depth: 2 })).toMatchObject({
      result: {
        entries: [
          { path: 'docs', kind: 'folder', sizeBytes: null },
          { path: 'docs/notes.md', kind: 'file', sizeBytes: 14 },
        ],
      },
    });
  });

  it('finds a sent file by its name, and the last one by the folder of sent files, in whole lines', async () => {
    const read = async (path: string, lines = 2_000) => bench.ask('workspace.read', { path, fromLine: 1, lines });
    expect(await read('attachments')).toMatchObject({ refusal: { code: 'NOT_FOUND' } });
    const rows = Array.from({ length: 3_000 }, (_, row) => `${row},${'x'.repeat(40)}`);
    await bench.ask('workspace.write', { path: 'attachments/sales.csv', content: rows.join('\n') });
    await bench.ask('workspace.write', { path: 'attachments/later.pdf', content: '%PDF-1.7 some bytes' });
    const found = await read('sales.csv');
    expect(found).toMatchObject({ result: { path: 'attachments/sales.csv', totalLines: 3_000 } });
    const text = 'result' in found ? String((found.result as { text: string }).text) : '';
    expect(text.length).toBeGreaterThan(80_000);
    expect(text.split('\n').at(-1)).toBe(rows[1_999]);
    expect(await read('attachments')).toMatchObject({
      refusal: {
        code: 'PATH_UNSUITABLE',
        data: { path: 'attachments/later.pdf', problem: expect.stringMatching(/PDF/) },
      },
    });
  });

  it('reports that a file is missing, or is not text', async () => {
    expect(await bench.ask('workspace.read', { path: 'gone.md', fromLine: 1, lines: 1 })).toMatchObject({
      outcome: 'refused',
      refusal: { code: 'NOT_FOUND', data: { name: 'gone.md' } },
    });
    expect(await bench.ask('workspace.read', { path: 'docs', fromLine: 1, lines: 1 })).toMatchObject({
      refusal: { code: 'PATH_UNSUITABLE' },
    });
  });
});

describe.skipIf(sandbox === null)('a command', () => {
  const argv = (...pipeline: string[][]) => ({
    command: { kind: 'argv' as const, pipeline },
    cwd: '.',
    deadlineMs: 20 * SECOND_MS,
  });
  const shell = (script: string) => ({
    command: { kind: 'shell' as const, script },
    cwd: '.',
    deadlineMs: 20 * SECOND_MS,
  });

  it('runs in the folder of its workspace, as a pipeline without a shell', async () => {
    await bench.ask('workspace.write', { path: 'a.txt', content: 'x\ny\nx\n' });
    const ran = await bench.ask('workspace.run', argv(['cat', 'a.txt'], ['grep', '-c', 'x']));
    expect(ran).toMatchObject({ outcome: 'done', result: { exitCode: 0, output: '2\n', killed: null, cut: false } });
    // A shell would expand this.
    expect(await bench.ask('workspace.run', argv(['echo', '$HOME', '*', ';', 'id']))).toMatchObject({
      result: { output: '$HOME * ; id\n' },
    });
  });

  it('can write only when it is an approved script, and not when it may only read', async () => {
    const denied = await bench.ask('workspace.run', argv(['touch', 'made-by-argv']));
    expect(denied).toMatchObject({ result: { exitCode: 1, output: expect.stringContaining('Read-only file system') } });
    expect(await bench.ask('workspace.run', shell('echo made > made-by-script'))).toMatchObject({
      result: { exitCode: 0 },
    });
    expect(bench.tree()).toMatchObject({ 'made-by-script': 'made\n' });
    expect(Object.keys(bench.tree())).not.toContain('made-by-argv');
  });

  it('cannot see the database address, the environment of the service, or other workspaces', async () => {
    const ran = await bench.ask(
      'workspace.run',
      shell(`cat /proc/*/environ 2>&1; env; ls -R ${bench.home} /root /work 2>&1; ls /`),
    );
    const { output } = (ran as { result: { output: string } }).result;
    expect(output).toContain('HOME=/home/agent'); // the proof that environments were read
    for (const hidden of [bench.jobs.databaseUrl, 'DATABASE_URL', 'REDIS_URL', 'package.json', 'journal'])
      expect(output).not.toContain(hidden);
  });

  it('that may only read starts no program planted in the repository', async () => {
    const plant = `
      set -e
      planted() { mkdir -p $1; printf '[filter "x"]\\n\\tclean = "echo planted >&2; cat"\\n' >> $1/config; }
      echo '*.txt filter=x' > .gitattributes; echo a > c.txt; git add .gitattributes c.txt
      git init -q sub; cp .gitattributes sub; echo a > sub/c.txt; git -C sub add .
      git -C sub -c user.name=a -c user.email=a@b.c commit -qm one
      git add sub 2>/dev/null
      planted sub/.git
      planted evil; mkdir evil/objects evil/refs; echo /workspace/evil > .git/commondir
      touch -d 2001-01-01 c.txt sub/c.txt`;
    expect(await bench.ask('workspace.run', shell(plant))).toMatchObject({ result: { exitCode: 0, output: '' } });
    // The proof that it is planted, in both ways: a person may have that run.
    const outside = await bench.ask(
      'workspace.run',
      shell('cp -r sub s2; touch -d 2002-01-01 s2/c.txt; git -C s2 status'),
    );
    expect(outside).toMatchObject({ result: { output: expect.stringContaining('planted') } });
    for (const command of ['git status -s', 'git diff', 'git diff --stat HEAD', 'git ls-files -m', 'git status']) {
      const { pipeline } = classifyCommand(command);
      const ran = await bench.ask('workspace.run', argv(...(pipeline ?? []).map((words) => [...words])));
      expect(ran).toMatchObject({ outcome: 'done', result: { output: expect.not.stringContaining('planted') } });
    }
  });

  it('is not run again when the process that ran it died', async () => {
    const script = shell('echo ran >> runs.txt');
    await bench.ask('workspace.run', script, { actionId: 'act_twice' });
    await bench.jobs.pool.query(`update runs set status = 'queued', attempts = 0 where run_id = 'act_twice'`);
    await bench.jobs.queue.enqueue('workspace.run', { runId: 'act_twice', traceId: 'trc_test' });
    const again = await bench.ask('workspace.run', script, { actionId: 'act_twice' });
    expect(again).toMatchObject({ refusal: { code: 'TOOL_OUTCOME_UNKNOWN' } });
    expect(bench.tree()['runs.txt']).toBe('ran\n');
  });
});

it('without bubblewrap commands are refused with the reason, and file tools still succeed', async () => {
  const without = await openWorkspaceBench({ BWRAP_PATH: '/nowhere/bwrap' });
  try {
    const script = { command: { kind: 'shell' as const, script: 'touch x' }, cwd: '.', deadlineMs: SECOND_MS };
    expect(await without.ask('workspace.run', script)).toMatchObject({
      outcome: 'refused',
      refusal: { code: 'SANDBOX_MISSING', data: { reason: expect.stringContaining('/nowhere/bwrap') } },
    });
    await without.ask('workspace.write', { path: 'x.md', content: 'x' });
    expect(without.tree()).toEqual({ 'x.md': 'x' });
  } finally {
    await without.close();
  }
});
