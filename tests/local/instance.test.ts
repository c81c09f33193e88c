import { spawn, type ChildProcess } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@signalbox/local/setup/free-port';
import {
  readLiveRunRecord,
  readRunRecord,
  stopLeftovers,
  takeInstanceLock,
  writeRunFile,
  type RunRecord,
} from '@signalbox/local/supervisor/instance';
import { identifyProcess, isRunning } from '@signalbox/local/supervisor/process-identity';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const main = fileURLToPath(new URL('./programs/probe.mjs', import.meta.url));
let dir = '';
let children: ChildProcess[] = [];

beforeEach(() => {
  dir = makeTemporaryFolder('instance');
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

test('a second start in a data folder is refused with the address of the running one', () => {
  const unlock = takeInstanceLock(dir);
  writeRunFile(dir, record([]));
  expect(() => takeInstanceLock(dir)).toThrow(
    `Signalbox is already running (pid ${process.pid}): http://127.0.0.1:8081.\nStop it with Ctrl-C there`,
  );
  unlock();
  expect(() => takeInstanceLock(dir)()).not.toThrow();
});

test('the lock of a process that has ended is taken over', () => {
  writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: 4_000_000, startMark: 'gone' }));
  const unlock = takeInstanceLock(dir);
  expect(() => takeInstanceLock(dir)).toThrow('already running');
  unlock();
});

test('a lock whose pid was given to another process is taken over', () => {
  writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: process.pid, startMark: 'an earlier boot' }));
  expect(() => takeInstanceLock(dir)()).not.toThrow();
});

test('a lock file with incomplete content is taken over', () => {
  writeFileSync(join(dir, 'lock'), '{"pid":');
  expect(() => takeInstanceLock(dir)()).not.toThrow();
});

test('only the owner of the data folder can read run.json', () => {
  writeRunFile(dir, record([]));
  expect(statSync(join(dir, 'run.json')).mode & 0o777).toBe(0o600);
  expect(readRunRecord(dir)).toEqual(record([]));
});

test('a run in run.json counts as live only while its process holds the lock', () => {
  writeRunFile(dir, record([]));
  expect(readLiveRunRecord(dir)).toBeNull();
  const unlock = takeInstanceLock(dir);
  expect(readLiveRunRecord(dir)?.pid).toBe(process.pid);
  unlock();
  expect(readLiveRunRecord(dir)).toBeNull();
});

test('only those services in run.json that a killed supervisor left behind are stopped', async () => {
  const [left, other] = [await startProbe(), await startProbe()];
  writeRunFile(
    dir,
    record([
      { name: 'worker', ...left, main, probeUrl: 'http://127.0.0.1:1' },
      // The same pid, but another start: the pid was reused.
      { name: 'jobs', pid: other.pid, startMark: 'an earlier boot', main, probeUrl: 'http://127.0.0.1:1' },
      // The same process, but it was started with another file.
      { name: 'gateway', ...other, main: '/somewhere/else.ts', probeUrl: 'http://127.0.0.1:1' },
    ]),
  );
  expect(await stopLeftovers(dir, 5_000)).toEqual(['worker']);
  expect(isRunning(left)).toBe(false);
  expect(isRunning(other)).toBe(true);
});

function record(services: RunRecord['services']): RunRecord {
  return {
    pid: process.pid,
    startedAt: '2030-01-01T00:00:00.000Z',
    databaseUrl: 'postgres://127.0.0.1:1/signalbox',
    redisUrl: 'redis://127.0.0.1:1/0',
    simulatorUrl: 'http://127.0.0.1:8081',
    hooksUrl: null,
    bubblewrap: {},
    agents: 'examples/bank',
    services,
  };
}

async function startProbe(): Promise<{ readonly pid: number; readonly startMark: string }> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [main, String(port)], { detached: true, stdio: 'ignore' });
  children.push(child);
  await until(() =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return until(() => identifyProcess(child.pid ?? 0));
}
