import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@signalbox/jobs/config';
import { getWorkspaceLock } from '@signalbox/jobs/workspace/prune';
import { JOBS } from '@signalbox/contracts/operations/jobs';
import { withLock } from '@signalbox/store/deploy/locks';
import { HOUR_MS } from '@signalbox/contracts/time';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { until } from './bench.ts';
import { openWorkspaceBench, type WorkspaceBench } from './workspace-bench.ts';

const sandbox = await locateTestSandbox('commands in workspaces that are about to be removed');

const DAY_MS = 24 * HOUR_MS;
let bench: WorkspaceBench;
beforeEach(async () => {
  bench = await openWorkspaceBench({ ...sandbox?.settings, WORKSPACE_IDLE_DAYS: '3' });
});
afterEach(() => bench.close());

const write = (path: string, content: string) => bench.ask('workspace.write', { path, content });
const prune = () => bench.ask('workspaces.prune', {});
const notes = () => join(bench.home, 'notes', 'thread-t1');

/** As if the last use had been so many days ago. */
function age(days: number, folder = notes()): void {
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(folder, then, then);
}

describe('a workspace', () => {
  it('that was unused for long is removed, and its next user starts with an empty one', async () => {
    await write('notes.md', 'buy milk');
    age(3.1);
    expect(await prune()).toEqual({ removed: ['thread-t1'] });
    for (const folder of ['files', 'notes', 'trash']) expect(readdirSync(join(bench.home, folder))).toEqual([]);
    expect(await prune()).toEqual({ removed: [] });
    await write('other.md', 'x');
    expect(bench.tree()).toEqual({ 'other.md': 'x' });
  });

  it('that was used recently stays, even when it was only read', async () => {
    await write('notes.md', 'buy milk');
    age(2.9);
    expect(await prune()).toEqual({ removed: [] });
    age(40);
    await bench.ask('workspace.read', { path: 'notes.md', fromLine: 1, lines: 1 });
    expect(await prune()).toEqual({ removed: [] });
    expect(bench.tree()).toEqual({ 'notes.md': 'buy milk' });
  });

  it('that a tool starts to use during the removal is kept', async () => {
    await write('notes.md', 'buy milk');
    age(40);
    const pruned = await withLock(bench.jobs.pool, getWorkspaceLock('thread-t1'), async () => {
      const pruning = prune();
      // It has seen an old workspace by now, and waits for us.
      await until(async () => (await countWaiting()) === 1);
      age(0);
      return { pruning };
    });
    expect(await pruned.pruning).toEqual({ removed: [] });
    expect(bench.tree()).toEqual({ 'notes.md': 'buy milk' });
  });

  it.skipIf(sandbox === null)('with a running command is not removed', async () => {
    await write('notes.md', 'buy milk');
    age(40);
    // It only reads, so nothing but its mark tells of it.
    const pipeline = [['sh', '-c', 'while ! [ -e go ]; do sleep 0.05; done; cat notes.md']];
    const running = bench.ask('workspace.run', { command: { kind: 'argv', pipeline }, cwd: '.', deadlineMs: 20_000 });
    await until(() => statSync(notes()).mtimeMs > Date.now() - DAY_MS);
    expect(await prune()).toEqual({ removed: [] });
    writeFileSync(join(bench.root, 'go'), '');
    expect(await running).toMatchObject({ outcome: 'done', result: { exitCode: 0, output: 'buy milk' } });
  });
});

describe('a removal', () => {
  it('that was interrupted is completed by the next removal', async () => {
    await write('notes.md', 'x');
    // A process that died: one workspace lies in the trash, of another only the notes are left, a third was never finished.
    const left = ['trash/old_1/.git/objects', 'notes/thread-half', 'files/thread-draft.new_1/.git'];
    for (const path of left) mkdirSync(join(bench.home, path), { recursive: true });
    age(40, join(bench.home, 'notes/thread-half'));
    age(40, join(bench.home, 'files/thread-draft.new_1'));
    expect(await prune()).toEqual({ removed: ['thread-draft.new_1', 'thread-half'] });
    expect(readdirSync(join(bench.home, 'files'))).toEqual(['thread-t1']);
    expect(readdirSync(join(bench.home, 'notes'))).toEqual(['thread-t1']);
    expect(readdirSync(join(bench.home, 'trash'))).toEqual([]);
  });

  it('is scheduled automatically, and spares each workspace for at least a day', async () => {
    await until(() => bench.jobs.redis.exists(`${bench.jobs.prefix}{jobs}:agents:de:workspaces.prune`));
    expect(JOBS['workspaces.prune'].everyMs).toBe(HOUR_MS);
    const settings = (days: string) => bench.jobs.environment({ JOBS_POOLS: 'agents', WORKSPACE_IDLE_DAYS: days });
    expect(loadConfig(settings('1')).WORKSPACE_IDLE_DAYS).toBe(1);
    expect(() => loadConfig(settings('0.5'))).toThrow(/WORKSPACE_IDLE_DAYS/);
  });
});

async function countWaiting(): Promise<number> {
  const { rows } = await bench.jobs.pool.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.n ?? 0;
}
