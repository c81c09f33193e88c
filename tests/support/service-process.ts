import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { inject } from 'vitest';
import { loadTestConfig } from './config.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** A service of the product in a process of its own, to be killed. */
export interface ServiceProcess {
  readonly name: string;
  /** Ends it at once, without a chance to clean up, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to stop, and answers its exit code. */
  stop(): Promise<number | null>;
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void;
  start(): Promise<void>;
  pid(): number;
  /** What /readyz answers: the status and the text; empty while nothing listens. */
  ready(): Promise<string>;
}

/** Starts `services/<service>/src/main.ts` of a checkout as the launcher does, and waits until it is ready. */
export async function startService(
  service: 'gateway' | 'worker' | 'jobs' | 'proxy',
  name: string,
  env: Readonly<Record<string, string>>,
  root = getCheckoutPath(),
): Promise<ServiceProcess> {
  let child: ChildProcess;
  let port = 0;
  const log = createWriteStream(join(inject('runDir'), `${name}.log`), { flags: 'a' });
  const start = async (): Promise<void> => {
    port = await freePort();
    child = spawn(
      process.execPath,
      ['--conditions=source', '--import', 'tsx', join(root, 'services', service, 'src/main.ts')],
      {
        cwd: root,
        env: { PATH: loadTestConfig().path, LOG_LEVEL: 'info', ...env, PROBE_PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}; see ${log.path.toString()}`);
      return (await ready()).startsWith('200');
    }, 60_000);
  };
  const ready = (): Promise<string> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (response) => `${response.status} ${await response.text()}`,
      () => '',
    );
  const gone = (): Promise<number | null> =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
      else child.once('exit', (code) => resolve(code));
    });
  await start();
  return {
    name,
    start,
    pid: () => child.pid ?? 0, // it has started
    ready,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL');
      await gone();
    },
    stop: () => {
      child.kill('SIGTERM');
      return gone();
    },
  };
}
