import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { identifyProcess, type ProcessIdentity } from '@signalbox/local/supervisor/process-identity';
import { createSupervisor, type Supervisor } from '@signalbox/local/supervisor/supervisor';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// Nothing that was started is left alone, whatever becomes of the one who started it.

const probe = fileURLToPath(new URL('./programs/probe.mjs', import.meta.url));
const supervise = fileURLToPath(new URL('./programs/supervise.ts', import.meta.url));
let folder = '';
let port = 0;
let parent: ChildProcess | null = null;
let supervisor: Supervisor | null = null;
let disk: SmallDisk | null = null;

beforeEach(async () => {
  folder = makeTemporaryFolder('orphans');
  port = await findFreePort();
});
afterEach(async () => {
  parent?.kill('SIGKILL');
  await supervisor?.stop();
  disk?.unmount();
  [parent, supervisor, disk] = [null, null, null];
});

test.each([
  ['SIGKILL', 'SIGKILL'],
  ['an exception that nobody catches', 'SIGUSR2'],
  ['a closed terminal', 'SIGHUP'],
] as const)('services end when their supervisor is ended by %s', async (_, signal) => {
  const children = await startSupervising();
  parent?.kill(signal);
  await until(() => children.every((child) => !isThere(child)));
});

test('Postgres and Redis end when the supervisor is killed', async () => {
  const { dataDir, path } = loadTestConfig();
  const children = await startSupervising(join(dataDir, 'redis-bin'), path);
  expect(children).toHaveLength(3);
  parent?.kill('SIGKILL');
  await until(() => children.every((child) => !isThere(child)), 30_000);
});

test('a supervisor whose log disk is full keeps supervising, and reports the start and end of the problem once', async () => {
  disk = mountSmallDisk('full-logs', 4);
  const lines: string[] = [];
  supervisor = createSupervisor({
    report: (line) => lines.push(line),
    onChange: () => undefined,
    times: { firstBackoffMs: 50, lastBackoffMs: 100 },
  });
  const main = probe;
  const readyUrl = `http://127.0.0.1:${port}/readyz`;
  const logFile = join(disk.folder, 'logs/probe.log');
  await supervisor.start({ name: 'probe', args: [main, String(port)], main, env: {}, readyUrl, logFile });
  disk.fill();
  await fetch(new URL('/talk', readyUrl));
  for (let death = 0; death < 3; death += 1) {
    const before = supervisor.services()[0]?.pid;
    await fetch(new URL('/die', readyUrl)).catch(() => undefined);
    await until(() => supervisor?.services()[0]?.pid !== before);
    await until(() => isAnswered(readyUrl));
  }
  const about = (): readonly string[] => lines.filter((line) => line.includes('the log of probe'));
  expect(about()).toEqual([expect.stringContaining('cannot be written (ENOSPC)')]);
  disk.free();
  await until(() => about().length === 2);
  expect(about()[1]).toBe('the log of probe is written again');
  expect(readFileSync(logFile, 'utf8').match(/nearly full/g)).toHaveLength(4);
});

async function startSupervising(...words: readonly string[]): Promise<readonly ProcessIdentity[]> {
  const given = [folder, probe, String(port), ...words];
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', supervise, ...given], {
    stdio: ['ignore', 'pipe', openSync(join(folder, 'errors'), 'a')],
  });
  parent = child;
  let text = '';
  child.stdout?.on('data', (chunk) => (text += String(chunk)));
  await until(() => text.endsWith('\n') || child.exitCode !== null, 60_000);
  const children = (JSON.parse(text) as number[]).map((pid) => identifyProcess(pid));
  return children.filter((one) => one !== null);
}

const isThere = ({ pid, startMark }: ProcessIdentity): boolean => identifyProcess(pid)?.startMark === startMark;

const isAnswered = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
