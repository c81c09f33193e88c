import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isRunning, type ProcessIdentity } from '@signalbox/local/supervisor/process-identity';
import { afterEach, expect, it } from 'vitest';
import { makeRunFolder, sweepLeftovers } from '../support/leftovers.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const started: ProcessIdentity[] = [];
afterEach(() => {
  for (const one of started.splice(0)) if (isRunning(one)) process.kill(one.pid, 'SIGKILL');
});

/** A program as the driver of processes leaves it behind; `isOurs`: what is written down of it is true. */
function leaveProgram(dir: string, isOurs = true): ProcessIdentity {
  const mark = `SIGNALBOX_INSTANCE=${randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const child = spawn('sleep', ['4712'], { detached: true, stdio: 'ignore', env: isOurs ? { [name]: value } : {} });
  const identity = identifyProcess(child.pid ?? 0);
  if (!identity) throw new Error('sleep does not run');
  started.push(identity);
  const folder = join(dir, 'demo-1', 'targets', 'shop', 'staging', 'act_1', 'instance');
  mkdirSync(folder, { recursive: true });
  const [bootId = '', tick = ''] = identity.startMark.split(':');
  writeFileSync(join(folder, 'spec.json'), JSON.stringify({ mark, bootId }));
  writeFileSync(join(folder, 'shim'), `${identity.pid} ${isOurs ? tick : Number(tick) - 1}`);
  return identity;
}

/** A run whose owner is gone. */
function leaveRun(root: string, name: string): string {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'owner.json'), JSON.stringify({ pid: process.pid, startMark: 'of another boot:1' }));
  return dir;
}

it('programs that a killed test run had deployed are stopped by the next run, and no other programs', async () => {
  const root = makeTemporaryFolder('runs');
  const gone = leaveRun(root, '1');
  const left = leaveProgram(gone);
  const reused = leaveProgram(leaveRun(root, '2'), false);
  const ours = makeRunFolder(root);
  const running = leaveProgram(ours);
  await sweepLeftovers(root, () => undefined);
  expect({ left: isRunning(left), gone: existsSync(gone) }).toEqual({ left: false, gone: false });
  expect({ reused: isRunning(reused), running: isRunning(running), ours: existsSync(ours) }).toEqual({
    reused: true,
    running: true,
    ours: true,
  });
});

it('one of several test runs cleans up leftovers, and a failed cleanup stops none of the runs', async () => {
  const root = makeTemporaryFolder('runs');
  const broken = leaveRun(root, '1');
  mkdirSync(join(broken, 'redis'));
  writeFileSync(join(broken, 'redis', 'redis.conf'), '');
  writeFileSync(join(broken, 'redis', 'server.json'), '{"passw');
  const others = ['2', '3', '4'].map((name) => leaveRun(root, name));
  const programs = others.map((dir) => leaveProgram(dir));
  const said: string[] = [];
  await Promise.all([1, 2, 3].map(() => sweepLeftovers(root, (line) => said.push(line))));
  expect(others.map((dir) => existsSync(dir))).toEqual([false, false, false]);
  expect(programs.map((one) => isRunning(one))).toEqual([false, false, false]);
  expect(said.length).toBeGreaterThan(0);
  for (const line of said) expect(line).toContain(broken);
});

it('the cleanup claim of a test run that was killed is taken over by the next run', async () => {
  const root = makeTemporaryFolder('runs');
  const dir = leaveRun(root, '1');
  writeFileSync(join(dir, 'sweeper.json'), JSON.stringify({ pid: process.pid, startMark: 'of another boot:1' }));
  await sweepLeftovers(root, () => undefined);
  expect(existsSync(dir)).toBe(false);
});
