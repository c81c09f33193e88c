import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { identifyChild, identifyProcess } from '@signalbox/local/supervisor/process-identity';
import { createSupervisor, type ProgramSpec, type Supervisor } from '@signalbox/local/supervisor/supervisor';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const main = fileURLToPath(new URL('./programs/probe.mjs', import.meta.url));
const times = { readyTimeoutMs: 10_000, stopTimeoutMs: 5_000, firstBackoffMs: 50, lastBackoffMs: 200 };
let folder = '';
let lines: string[] = [];
let supervisor: Supervisor;

beforeEach(() => {
  folder = makeTemporaryFolder('supervisor');
  lines = [];
  supervisor = createSupervisor({ report: (line) => lines.push(line), onChange: () => undefined, times });
});
afterEach(() => supervisor.stop());

test('a program that exits is started again, and the terminal says so', async () => {
  const spec = await describeProgram('jobs');
  await supervisor.start(spec);
  const first = supervisor.services()[0]?.pid;
  await fetch(new URL('/die', spec.readyUrl)).catch(() => undefined);
  const second = await until(() => supervisor.services().find(({ pid }) => pid !== first));
  await until(() =>
    fetch(spec.readyUrl).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  expect(identifyProcess(second.pid)).not.toBeNull();
  expect(lines.filter((line) => line.startsWith('jobs ended (exit code 1); it starts again in 0.05 s'))).toHaveLength(
    1,
  );
});

test('the wait before a restart grows with every exit of the program', async () => {
  const spec = await describeProgram('jobs');
  await supervisor.start(spec);
  for (const wait of ['0.05 s', '0.1 s', '0.2 s', '0.2 s']) {
    const before = lines.filter((line) => line.includes('starts again')).length;
    await until(() =>
      fetch(new URL('/die', spec.readyUrl)).then(
        () => true,
        () => true,
      ),
    );
    const line = await until(() => {
      const told = lines.filter((entry) => entry.includes('starts again'));
      return told.length > before ? told.at(-1) : null;
    });
    expect(line).toContain(`starts again in ${wait}`);
    await until(() =>
      fetch(spec.readyUrl).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }
});

test('a program that exits during its start fails the start, and its last output is shown', async () => {
  const start = supervisor.start(await describeProgram('gateway', 'broken'));
  await expect(start).rejects.toThrow(/gateway ended while it was starting \(exit code 3\)[^]*no such table: people/);
});

test('a program that exited before the first check is still identified', () => {
  const { pid = 0 } = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  const begun = Date.now();
  // Nothing else happens meanwhile, as on a machine that is busy: we do not hear of its end.
  while (identifyProcess(pid) !== null && Date.now() - begun < 10_000);
  expect(identifyProcess(pid)).toBeNull();
  expect(identifyChild(pid)).toMatchObject({ pid });
});

test('a program that never becomes ready fails the start', async () => {
  const impatient = createSupervisor({
    report: () => undefined,
    onChange: () => undefined,
    times: { ...times, readyTimeoutMs: 1_000 },
  });
  const start = impatient.start(await describeProgram('gateway', 'never-ready'));
  await expect(start).rejects.toThrow(/gateway did not become ready within 1 s[^]*nearly full/);
  await impatient.stop();
});

test('stopping the supervisor stops its programs in reverse order, and leaves no process', async () => {
  const stops = join(folder, 'stops');
  for (const name of ['gateway', 'worker', 'jobs']) {
    await supervisor.start(await describeProgram(name, name, stops));
  }
  const { services } = supervisor;
  await supervisor.stop();
  await supervisor.stop();
  expect(readFileSync(stops, 'utf8')).toBe('jobs\nworker\ngateway\n');
  expect(services().filter(({ pid }) => identifyProcess(pid) !== null)).toEqual([]);
});

test('a program that ignores SIGTERM is killed after the deadline, with the processes it started', async () => {
  const hasty = createSupervisor({
    report: () => undefined,
    onChange: () => undefined,
    times: { ...times, stopTimeoutMs: 200 },
  });
  await hasty.start(await describeProgram('stubborn', 'stubborn'));
  await hasty.start(await describeProgram('parent', 'with-child'));
  const child = await until(() => /"child":(\d+)/.exec(readFileSync(join(folder, 'parent.log'), 'utf8'))?.[1]);
  await hasty.stop();
  expect(hasty.services().filter(({ pid }) => identifyProcess(pid) !== null)).toEqual([]);
  await until(() => identifyProcess(Number(child)) === null);
});

test('the log file contains every line, and the terminal only warnings and errors', async () => {
  await supervisor.start(await describeProgram('worker'));
  await until(() => lines.includes('worker warn: nearly full percent=93'));
  expect(readFileSync(join(folder, 'worker.log'), 'utf8')).toContain('"message":"nearly full","percent":93');
});

async function describeProgram(name: string, ...words: string[]): Promise<ProgramSpec> {
  const port = await findFreePort();
  return {
    name,
    args: [main, String(port), ...words],
    main,
    env: {},
    readyUrl: `http://127.0.0.1:${port}/readyz`,
    logFile: join(folder, `${name}.log`),
  };
}
