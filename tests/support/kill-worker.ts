import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { inject } from 'vitest';
import { loadTestConfig } from './config.ts';
import type { DeployWay } from './deploy-target.ts';

/** A worker in a process of its own that deploys to a target outside. It is loaded at once and starts when it is told to. */
export interface KillableWorker {
  /** Starts it, and waits until it serves. */
  start(): Promise<void>;
  /** Ends it at once, without a chance to clean up, and waits until it is gone. Twice is safe. */
  kill(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('worker-program.ts', import.meta.url));
/** Most that loading and starting may take on a busy machine. */
const START_MS = 180_000;

/** Spawns worker-program.ts. */
export function spawnWorker(given: {
  readonly env: Readonly<Record<string, string>>;
  readonly target: string;
  readonly way: DeployWay;
}): KillableWorker {
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', PROGRAM, JSON.stringify(given)], {
    cwd: getCheckoutPath(),
    env: { PATH: loadTestConfig().path },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(inject('runDir'), 'kill-workers.log'), { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  child.stdin.on('error', () => undefined); // it may be gone
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const said = new Set<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.add(line);
    child.emit('said');
  });
  return {
    start: async () => {
      child.stdin.write('start\n');
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (said.has('ready')) resolve();
        };
        child.on('said', look);
        look();
        setTimeout(() => reject(new Error(`a worker is not ready; see ${log.path.toString()}`)), START_MS).unref();
        void gone.then(() => reject(new Error(`a worker has ended; see ${log.path.toString()}`)));
      });
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
