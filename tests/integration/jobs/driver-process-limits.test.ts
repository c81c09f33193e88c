import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver, ProgramInstance } from '@signalbox/jobs/drivers/driver';
import { describeLimits, makeGroup, removeGroup } from '@signalbox/jobs/sandbox/cgroup';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APP, appFile, commandLinesWith, needle, newRelease, soon } from '../../contracts/driver-releases.ts';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { eventually, until } from '../../support/until.ts';

/** Small, so that a program that multiplies is far from harming this machine: Node alone has a dozen threads. */
const TASKS = 40;
const { confinement } = await openTestConfinement();
let driver: Driver;
let targetsDir: string;
const started: ProgramInstance[] = [];
const open = (more: { readonly controlGroups?: string } = {}): Driver =>
  createProcessDriver({
    server: 'local',
    targetsDir,
    path: loadTestConfig().path,
    restarts: 1,
    tasks: TASKS,
    confinement,
    ...more,
  });
beforeEach(() => {
  targetsDir = makeTemporaryFolder('targets');
  driver = open();
});
afterEach(async () => {
  for (const instance of started.splice(0)) await driver.stop(instance, 0, soon());
});

async function launch(variables: Record<string, string> = {}) {
  const id = newRelease();
  const file = { ...appFile(), cpus: 0.5 };
  const artifact = await driver.build({ id, sourceDir: APP, file, onLine: () => undefined, signal: soon() });
  const instance = await driver.start({ id, artifact, file, variables, port: await freePort() }, soon());
  started.push(instance);
  return { instance, folder: join(targetsDir, instance.ref, 'instance') };
}
const linesOf = async (instance: ProgramInstance): Promise<string> => {
  const lines: string[] = [];
  for await (const { line } of driver.logs(instance, { tail: 100, signal: soon() })) lines.push(line);
  return lines.join('\n');
};
const groupsOf = (folder: string): readonly string[] =>
  (JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')) as { groups: string[] }).groups;

describe('a program that forks endlessly', { timeout: 60_000 }, () => {
  it.each([
    ['by the limits that this machine has', {}],
    ['where there are no control groups', { controlGroups: '/nonexistent' }],
  ])('is stopped %s with all of its processes, says why, and is not restarted', async (_, more) => {
    driver = open(more);
    const word = needle();
    const { instance, folder } = await launch({ AT_START: 'multiply', LEAVE: word });
    const state = await eventually(
      () => driver.state(instance, soon()),
      ({ kind }) => kind === 'exited',
      40_000,
    );
    expect(state).toMatchObject({ code: 137, oom: false, lost: null });
    expect(commandLinesWith(`sleep ${word}`)).toEqual([]);
    expect(await linesOf(instance)).toMatch(
      /ended by Signalbox: it had \d+ processes and threads and wanted more, and may have 40/,
    );
    // Its shim may wait for the end of its log still.
    await until(async () => (await driver.stop(instance, 0, soon())) === 'gone');
    expect(groupsOf(folder).filter((group) => existsSync(group))).toEqual([]);
  });

  it('is told apart from a program with threads and one helper process', async () => {
    const word = needle();
    const { instance } = await launch({ LEAVE: word });
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${instance.port}${path}`, { signal: AbortSignal.timeout(5_000) });
    await until(async () => (await ask('/leave').catch(() => null))?.ok);
    // The keeper has looked more than twice.
    const before = Date.now();
    await until(() => Date.now() - before > 3_000);
    expect(await driver.state(instance, soon())).toMatchObject({ kind: 'running', restarts: 0 });
    expect(commandLinesWith(`sleep ${word}`)).toHaveLength(1);
  });
});

describe('a program of the process driver', { timeout: 60_000 }, () => {
  it('has limits of open files and file size, and writes no core files', async () => {
    const { folder } = await launch();
    const pid = readFileSync(join(folder, 'pid'), 'utf8').split(' ')[0] ?? '';
    const shown = await eventually(
      async () => readFileSync(`/proc/${pid}/limits`, 'utf8'),
      (text) => /Max file size +4294967296 /.test(text),
      10_000,
    );
    expect(Number(/Max open files +(\d+)/.exec(shown)?.[1])).toBeLessThanOrEqual(8_192);
    expect(shown).toMatch(/Max core file size +0 /);
  });

  it('is in a control group while it runs, on a machine that has control groups', async () => {
    const { instance, folder } = await launch();
    const { engine } = await driver.inspect(soon());
    const groups = groupsOf(folder);
    expect(engine).toContain(describeLimits());
    expect(engine.includes('CPUs not limited')).toBe(groups.length === 0);
    const pid = readFileSync(join(folder, 'pid'), 'utf8').split(' ')[0] ?? '';
    for (const group of groups)
      await until(() => readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').includes(pid));
    const files = ['cpu.max', 'cpu.cfs_quota_us', 'pids.max'];
    const found = groups.flatMap((group) => files.map((name) => join(group, name)).filter((file) => existsSync(file)));
    const given = [[], ['40', '50000 100000'], [], ['40', '50000']][groups.length];
    expect(found.map((file) => readFileSync(file, 'utf8').trim()).toSorted()).toEqual(given);
    await driver.stop(instance, 2_000, soon());
    expect(groups.filter((group) => existsSync(group))).toEqual([]);
  });
});

describe('a control group of version 2', () => {
  const FILES = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.max'];
  const limits = { memoryMb: 64, cpus: 1.5, tasks: 9 };
  /** What the kernel would show: groups that are there, with the controllers that they have. */
  const fake = (controllers: string): string => {
    const root = makeTemporaryFolder('cgroup');
    mkdirSync(join(root, 'one'));
    for (const file of FILES) writeFileSync(join(root, 'one', file), '');
    for (const folder of [root, join(root, 'one')])
      writeFileSync(join(folder, 'cgroup.controllers'), `${controllers}\n`);
    writeFileSync(join(root, 'cgroup.subtree_control'), '');
    return root;
  };
  const read = (root: string, file: string): string => readFileSync(join(root, file), 'utf8');

  it('limits memory, swap, processes and CPUs', () => {
    const root = fake('cpuset cpu io memory pids');
    expect(makeGroup('one', limits, root)).toEqual([join(root, 'one')]);
    expect(FILES.map((file) => read(root, `one/${file}`))).toEqual(['67108864', '0', '1', '9', '150000 100000']);
    expect(read(root, 'cgroup.subtree_control')).toBe('');
  });

  it('enables the missing controllers in its parent group', () => {
    const root = fake('cpu');
    makeGroup('one', limits, root);
    expect(read(root, 'cgroup.subtree_control')).toBe('+memory +pids +cpu');
  });

  it('is reported as unavailable, with memory and processes only watched, when the kernel refuses it', () => {
    const root = makeTemporaryFolder('cgroup');
    writeFileSync(join(root, 'cgroup.controllers'), '');
    expect(makeGroup('one', limits, root)).toBeNull();
    expect(existsSync(join(root, 'one'))).toBe(false);
    expect(describeLimits(root)).toBe('memory and processes watched, CPUs not limited');
    removeGroup([join(root, 'one')]);
  });
});
