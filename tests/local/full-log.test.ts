import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

// A program that logs whatever becomes of the place where its lines go.

const program = fileURLToPath(new URL('./programs/talker.ts', import.meta.url));
let child: ChildProcess;
let disk: SmallDisk | null = null;

afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  disk?.unmount();
  disk = null;
});

test('a program whose log disk is full keeps running, answers its probes and counts lost lines', async () => {
  const ask = await start(openSync('/dev/full', 'w'), 50);
  await until(async () => (await ask.lost()) > 1_000, 20_000);
  expect(await ask.ready()).toBe(200);
});

test('a program continues its log without a torn line when the disk has room again, and counts lost lines', async () => {
  disk = mountSmallDisk('full-log', 16);
  disk.fill();
  const file = join(disk.folder, 'talker.log');
  const ask = await start(openSync(file, 'a'), 20);
  await until(async () => (await ask.lost()) > 100, 20_000);
  expect(await ask.ready()).toBe(200);
  disk.free();
  const complete = (): readonly string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const told = await until(() => complete().find((line) => line.includes('lines were not written')));
  const notice = JSON.parse(told) as Record<string, unknown>;
  expect(notice).toMatchObject({ level: 'warn', service: 'talker', reason: 'ENOSPC', lines: expect.any(Number) });
  expect(Number(notice['lines'])).toBeGreaterThan(100);
  for (const line of complete()) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('a program whose log nobody reads keeps running, and later counts lost lines', async () => {
  const ask = await start('pipe', 50); // nobody reads the pipe
  await until(async () => (await ask.lost()) > 1_000, 20_000);
  expect(await ask.ready()).toBe(200);
  let text = '';
  child.stdout?.on('data', (chunk) => (text += String(chunk)));
  await until(() => text.includes('"message":"lines were not written"'), 20_000);
  child.kill('SIGTERM');
  await once(child, 'close');
  const lines = text.trimEnd().split('\n');
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  expect(lines.at(-1)).toContain('last words');
  // What is missing is what was said to be missing.
  const entries = lines.map((line) => JSON.parse(line) as { message: string; n?: number; lines?: number });
  const said = entries.filter(({ message }) => message === 'said');
  const missing = entries.reduce((sum, { lines: count = 0 }) => sum + count, 0);
  expect(said.length + missing).toBe(said.at(-1)?.n);
});

test('a program whose log reader has ended keeps running', async () => {
  const ask = await start('pipe', 50);
  child.stdout?.destroy();
  await until(async () => (await ask.lost()) > 1_000, 20_000);
  expect(await ask.ready()).toBe(200);
});

test('a program that exits after many log lines writes its last lines', async () => {
  await start('pipe', 500);
  let text = '';
  child.stdout?.on('data', (chunk) => (text += String(chunk)));
  await until(() => text.length > 1_000);
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  expect(text.trimEnd().split('\n').at(-1)).toContain('last words');
});

/** Starts the program with this as its standard output; answers ways to ask its probes. */
async function start(output: 'pipe' | number, linesPerRound: number) {
  const words = ['--conditions=source', '--import', 'tsx', program, String(linesPerRound)];
  child = spawn(process.execPath, words, { stdio: ['ignore', output, 'pipe'] });
  let port = '';
  child.stderr?.on('data', (chunk) => (port += String(chunk)));
  await until(() => port.includes('\n'), 20_000);
  const get = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port.trim()}${path}`, { signal: AbortSignal.timeout(5_000) });
  return {
    ready: async () => (await get('/readyz')).status,
    lost: async () => {
      const [, count = '0'] =
        /^signalbox_log_lines_dropped_total\S* (\d+)$/m.exec(await (await get('/metrics')).text()) ?? [];
      return Number(count);
    },
  };
}
