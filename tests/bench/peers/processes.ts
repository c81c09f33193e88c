import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadTestConfig } from '../../support/config.ts';

/** Linux counts CPU in hundredths of a second for every program. */
const MS_PER_TICK = 10;
const READY_MS = 60_000;

export interface Process {
  readonly pid: number;
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Starts a Node program and waits until its probe at PROBE_PORT answers. Rejects with its output when it ends before. */
export async function startProcess(
  name: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Process> {
  const port = await freePort();
  const startedAt = performance.now();
  const program = spawnProgram(name, words, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    ...env,
    PROBE_PORT: String(port), // last: the settings of a measurement leave it to the system, and this waits at it
  });
  await program.until(() => isReady(port), READY_MS);
  return { pid: program.pid, readyMs: performance.now() - startedAt, stop: program.stop };
}

/** A Node program in a process group of its own. */
export function spawnProgram(
  name: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = process.cwd(),
) {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { PATH: loadTestConfig().path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    pid,
    /** Waits until it is ready. Rejects with its output when it ends before, or is late. */
    async until(ready: () => Promise<boolean>, withinMs: number): Promise<void> {
      const deadline = performance.now() + withinMs;
      while (!(await ready())) {
        if (child.exitCode !== null || performance.now() > deadline)
          throw new Error(`${name} is not ready: ${output.slice(-2_000)}`);
        await sleep(20);
      }
    },
    async stop(): Promise<void> {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      process.kill(-pid, 'SIGTERM');
      await Promise.race([ended, sleep(12_000).then(() => process.kill(-pid, 'SIGKILL'))]);
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return answer?.ok ?? false;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  return port;
}

/** Milliseconds of CPU that a process and its children have used, those that have ended included. Source: proc(5), fields 14 to 17. */
export function cpuOf(pid: number): number {
  const own = statOf(pid);
  if (own === null) return 0;
  const children = childrenOf(pid).map((child) => statOf(child)?.own ?? 0);
  return own.own + own.ended + children.reduce((sum, ms) => sum + ms, 0);
}

/** Megabytes of memory of a process and its children, pages that are shared counted in shares. Source: proc(5), smaps_rollup. */
export function memoryOf(pid: number): number {
  const pages = [pid, ...childrenOf(pid)].map((one) => /^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`))?.[1]);
  return pages.reduce((sum, kilobytes) => sum + Number(kilobytes ?? 0) / 1_024, 0);
}

function statOf(pid: number): { readonly own: number; readonly ended: number; readonly parent: number } | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === '') return null;
  // The name of the program stands in brackets and may hold blanks.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((n) => fields[n]);
  return { own: (user + system) * MS_PER_TICK, ended: (endedUser + endedSystem) * MS_PER_TICK, parent };
}

function childrenOf(pid: number): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((one) => statOf(one)?.parent === pid);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
