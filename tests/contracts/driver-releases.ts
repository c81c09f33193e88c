import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import type { ReleaseId } from '@signalbox/jobs/drivers/driver';
import { loadTestConfig } from '../support/config.ts';
import type { DriverErrand } from '../support/driver-program.ts';

export const APP = fileURLToPath(new URL('../fixtures/driver-app', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../support/driver-program.ts', import.meta.url));
export const STEP_MS = 40_000;

/** A deadline for one step. */
export const soon = (): AbortSignal => AbortSignal.timeout(STEP_MS);

/** How the test's app is built and run. */
export const appFile = (build: readonly string[] = ['ok']): ServiceFile =>
  ServiceFile.parse({
    build: [['node', 'build.mjs', ...build]],
    start: ['node', 'server.mjs'],
    memoryMb: 150,
    cpus: 0.5,
  });

let deployments = 0;
/** A release that nobody has had. */
export const newRelease = (over: Partial<ReleaseId> = {}): ReleaseId => {
  deployments += 1;
  const deploymentId = `act_${Date.now().toString(36)}${deployments}`;
  return {
    project: 'shop',
    environment: 'staging',
    release: `1.${deployments}.0-abc`,
    fence: deployments,
    deploymentId,
    ...over,
  };
};

/** A length of sleep by which processes can be told from all others. */
export const needle = (): string => `7${Math.random().toString().slice(2, 12)}`;

/** Command lines on this machine that hold a text, in containers too, by pid. A zombie has none. */
export function processesWith(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (line.includes(text)) found.set(Number(pid), line);
    } catch {
      // It has ended.
    }
  }
  return found;
}

export const commandLinesWith = (text: string): readonly string[] => [...processesWith(text).values()];

/** Gives an errand to another process, which is killed in the middle of it. */
export async function dieDoing(errand: DriverErrand): Promise<void> {
  const words = ['--conditions=source', '--import', 'tsx', PROGRAM];
  const child = spawn(process.execPath, words, {
    env: { PATH: loadTestConfig().path },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => (said += String(bytes)));
  child.stdin.end(JSON.stringify(errand));
  const [code, by] = (await once(child, 'exit')) as [number | null, string | null];
  if (by !== 'SIGKILL') throw new Error(`the process was not killed, it ended with ${code}: ${said}`);
}
