import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND_LIMITS, type CommandLimits } from '@signalbox/jobs/sandbox/limits';
import { openSandbox, type RunOptions, type Sandbox } from '@signalbox/jobs/sandbox/sandbox';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from './bench.ts';

const found = await locateTestSandbox('the sandbox');

/** A word that no other process on this machine carries. */
let marks = 0;
const newMark = (): string => `7${process.pid}${(marks += 1)}`;

/** Sleeping commands of this machine, seen from outside, that were started with this mark. A fork of ours that is no command yet is none. */
function alive(mark: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // Of a process that has ended and waits to be reaped, nothing is left to read.
      return readFileSync(`/proc/${name}/cmdline`, 'utf8') === `sleep\0${mark}\0`;
    } catch {
      return false;
    }
  });
}

describe.skipIf(found === null)('a sandboxed command', () => {
  let sandbox: Sandbox;
  let workspace: string;
  beforeAll(async () => {
    sandbox = await open();
    workspace = join(makeTemporaryFolder('sandbox'), 'workspace');
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    writeFileSync(join(workspace, '.git/config'), '[core]\n');
    writeFileSync(join(workspace, 'a.txt'), 'one\n');
  });

  async function open(limits: Partial<CommandLimits> = {}): Promise<Sandbox> {
    if (found === null) throw new Error('there is no sandbox');
    return found.open({ ...COMMAND_LIMITS, ...limits });
  }
  const options = (more: Partial<RunOptions> = {}): RunOptions => ({
    workspace,
    writable: 'all',
    cwd: '.',
    deadlineMs: 30_000,
    signal: new AbortController().signal,
    ...more,
  });
  const shell = (script: string, more: Partial<RunOptions> = {}, within = sandbox) =>
    within.runShell(script, options(more));

  it('has no network, not even to this machine', async () => {
    const server = createServer((_, answer) => answer.end('reached'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached; cat /proc/net/dev`;
    try {
      expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('reached'); // from outside it can be
      const ran = await sandbox.runArgv([['/bin/bash', '-c', script]], options());
      expect(ran.output).toMatch(/Connection refused|unreachable/);
      expect(ran.output).not.toContain('reached');
      expect(ran.output.match(/^\s*\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:']);
    } finally {
      server.close();
    }
  });

  it('yields the processor to the services of its machine, with everything that it starts', async () => {
    const ran = await shell('nice; sh -c nice; (sleep 0; nice) & wait; nice -n -5 nice 2>/dev/null; true');
    expect(ran.output.trim().split('\n').slice(0, 3)).toEqual(['10', '10', '10']);
    expect(ran.output).not.toMatch(/^-?[0-9]$/m);
  });

  it('writes only into the workspace and temporary folders', async () => {
    const outside = makeTemporaryFolder('outside');
    const places = ['/x', '/usr/x', '/etc/x', '/dev/x', '/proc/x', '/bin/x', '/home/x', join(outside, 'x')];
    const ran = await shell(
      `for f in ${places.join(' ')}; do touch $f 2>/dev/null && echo wrote $f; done; touch b /tmp/c ~/d; ls`,
    );
    expect(ran.output).toBe('a.txt\nb\n');
    expect(readdirSync(outside)).toEqual([]);
    expect((await shell('ls /tmp ~')).output).toBe('/home/agent:\n\n/tmp:\n');
    rmSync(join(workspace, 'b'));
  });

  it('cannot change or move the hooks and the configuration of the repository', async () => {
    const script = [
      'echo x > .git/hooks/pre-commit',
      'echo x >> .git/config',
      'mv .git other',
      'mv .git/hooks .git/h',
      'rm -rf .git',
      'ln -sf /tmp .git/hooks',
    ];
    await shell(script.join('; '));
    expect(readdirSync(join(workspace, '.git')).toSorted()).toEqual(['config', 'hooks']);
    expect(readdirSync(join(workspace, '.git/hooks'))).toEqual([]);
    expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe('[core]\n');
  });

  it('sees neither the environment of the service nor other processes', async () => {
    vi.stubEnv('SANDBOX_TEST_SECRET', 'hunter2-of-the-service');
    try {
      const ran = await shell('cat /proc/*/environ; env; echo; ls /proc | grep -c "^[0-9]"');
      expect(ran.output).toContain('HOME=/home/agent');
      expect(ran.output).not.toMatch(/hunter2|SANDBOX_TEST_SECRET/);
      expect(Number(ran.output.trim().split('\n').at(-1))).toBeLessThan(8);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('cannot gain rights by mounts, by namespaces, or by files of other users', async () => {
    const ran = await shell(
      'mount -t tmpfs x /tmp; unshare -U true; cat /etc/shadow; grep ^CapEff /proc/self/status; id -u',
    );
    expect(ran.output).toMatch(/CapEff:\t0+\n1000\n$/);
    expect(ran.output).toMatch(/mount: .*\n[\s\S]*unshare: .*\n[\s\S]*No such file/);
  });

  it('cannot change a kernel setting in /proc, even when the service runs as root', async () => {
    // Opened for writing, and nothing written: without the sandbox root may open all of them.
    const files = ['sys/kernel/core_pattern', 'sys/kernel/hostname', 'sys/vm/drop_caches', 'self/oom_score_adj'];
    const ran = await shell(`for f in ${files.join(' ')}; do (: >> /proc/$f) && echo open $f; done; echo well`);
    expect(ran.output).not.toMatch(/^open/m);
    expect(ran.output.match(/Read-only file system|Permission denied/g)).toHaveLength(files.length);
    expect(ran.output).toMatch(/oom_score_adj: Read-only file system\nwell\n$/);
  });

  it('gets no more processes than its limit', async () => {
    const small = await open({ processes: 20 });
    const ran = await shell('bomb() { bomb | bomb & }; bomb; sleep 0.5; echo after', { deadlineMs: 10_000 }, small);
    expect(ran.killed === 'processes' || /fork/i.test(ran.output)).toBe(true);
    expect((await shell('echo well', {}, small)).output).toBe('well\n');
  });

  it('gets no more memory than its limit', async () => {
    const small = await open({ memoryBytes: 64 * 1024 * 1024 });
    const hog = 'x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done';
    const ran = await shell(`sh -c '${hog}'; echo code $?`, {}, small);
    expect(ran.killed === 'memory' || /code (2|12[5-9]|13\d)/.test(ran.output)).toBe(true);
  });

  it('cannot fill the disk with one file, nor the memory with temporary files', async () => {
    const small = await open({ fileBytes: 1_000_000, scratchBytes: 2_000_000 });
    const ran = await shell(
      'head -c 5000000 /dev/zero > big; wc -c < big; head -c 3000000 /dev/zero > /dev/shm/x',
      {},
      small,
    );
    expect(ran.output).toMatch(/1000000/);
    rmSync(join(workspace, 'big'));
    for (const place of ['/tmp', '/dev/shm', '/home/agent']) {
      const filled = await shell(
        `for i in 1 2 3; do head -c 900000 /dev/zero > ${place}/$i || echo full; done`,
        {},
        small,
      );
      expect(filled.output).toContain('full');
    }
  });

  it('with more output than the limit runs to its end, and its output is cut and marked as cut', async () => {
    const small = await open({ outputBytes: 10_000 });
    const ran = await shell('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end >&2', {}, small);
    expect(ran).toMatchObject({ exitCode: 0, killed: null, cut: true });
    expect(ran.output).toBe('x'.repeat(10_000));
    expect(await shell('printf "a\\0b"')).toMatchObject({ output: 'a\uFFFDb', cut: false });
  });

  it('that takes too long is stopped with every process it started', async () => {
    const mark = newMark();
    const ran = await shell(
      `sleep ${mark} & setsid sleep ${mark} & (sleep ${mark} >/dev/null 2>&1 &) ; echo begun; sleep ${mark}`,
      {
        deadlineMs: 1_000,
      },
    );
    expect(ran).toMatchObject({ killed: 'deadline', output: 'begun\n' });
    expect(alive(mark)).toEqual([]);
  });

  it('leaves no process behind when it ends by itself', async () => {
    const mark = newMark();
    const ran = await shell(`setsid sleep ${mark} >/dev/null 2>&1 & echo begun`);
    expect(ran).toMatchObject({ exitCode: 0, killed: null, output: 'begun\n' });
    expect(alive(mark)).toEqual([]);
  });

  it('that is cancelled is stopped at once, with every process it started', async () => {
    const mark = newMark();
    const off = new AbortController();
    const running = shell(`sleep ${mark} | sleep ${mark}`, { signal: off.signal });
    running.catch(() => undefined);
    await until(() => alive(mark).length >= 2); // the proof that the table shows them
    off.abort(new Error('called off'));
    await expect(running).rejects.toThrow('called off');
    expect(alive(mark)).toEqual([]);
    await expect(shell('touch late', { signal: off.signal })).rejects.toThrow('called off');
    expect(readdirSync(workspace)).not.toContain('late');
  });

  it('ends when the process that started it is killed', async () => {
    const mark = newMark();
    const starter = fileURLToPath(new URL('./sandbox-starter.ts', import.meta.url));
    const { path } = loadTestConfig();
    const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = found?.settings ?? {};
    const program = file === undefined ? [] : [file, ...(libraryPath === undefined ? [] : [libraryPath])];
    const words = ['--conditions=source', '--import', 'tsx', starter, workspace, mark, path, ...program];
    const child = spawn(process.execPath, words, { env: { PATH: path }, stdio: 'ignore' });
    await until(() => alive(mark).length > 0);
    child.kill('SIGKILL');
    await until(() => alive(mark).length === 0);
  });

  it('sends its output to the next command of a pipeline, and ends when that command stops reading', async () => {
    const pipeline = [
      ['yes', 'word'],
      ['head', '-n', '100000'],
      ['sort', '-u'],
      ['wc', '-l'],
    ];
    expect(await sandbox.runArgv(pipeline, options())).toMatchObject({ exitCode: 0, output: '1\n', killed: null });
    const last = await sandbox.runArgv(
      [
        ['echo', 'x'],
        ['grep', 'y'],
      ],
      options(),
    );
    expect(last).toMatchObject({ exitCode: 1, output: '' });
    expect(await sandbox.runArgv([['no-such-program']], options())).toMatchObject({ exitCode: 127 });
  });

  it('cannot follow a link out of its workspace', async () => {
    expect(
      (await shell(`ln -sf ${workspace}/../.. up; ln -sf /root home; ls up/ home/; cat ${import.meta.filename}`))
        .output,
    ).toMatch(/^(?:ls|cat): .*No such file[\s\S]*No such file[\s\S]*No such file/);
  });
});

it('a command is refused with the reason where bubblewrap does not work', async () => {
  const folder = makeTemporaryFolder('broken');
  const file = join(folder, 'bwrap');
  writeFileSync(file, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n', { mode: 0o755 });
  const broken = await openSandbox({ program: { file, libraryPath: null } });
  expect(broken.problem).toContain('No permissions to create new namespace');
  const room = { workspace: folder, writable: 'all' as const, cwd: '.', deadlineMs: 1_000 };
  const signal = new AbortController().signal;
  await expect(broken.runShell('touch x', { ...room, signal })).rejects.toMatchObject({ code: 'SANDBOX_MISSING' });
  await expect((await openSandbox({ program: null })).runArgv([['true']], { ...room, signal })).rejects.toMatchObject({
    code: 'SANDBOX_MISSING',
    data: { reason: 'bubblewrap is not installed' },
  });
  expect(readdirSync(folder)).toEqual(['bwrap']);
});
