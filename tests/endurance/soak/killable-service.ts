import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getCheckoutPath } from '@signalbox/local/checkout';
import type { ProgramSpec } from '@signalbox/local/supervisor/supervisor';
import { withClock } from '../../support/moved-clock.ts';
import type { TcpRelay } from '../../support/tcp-relay.ts';

/** A service of the product as a process, with wires of its own. Whenever it ends by itself it is started again, as by `npm start`. */
export interface SoakService {
  readonly name: string;
  readonly wires: readonly TcpRelay[];
  /** Ends that nobody asked for: when, and how. */
  readonly exits: readonly string[];
  start(): void;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it at once, or with patience, and waits until it is gone; it stays down until it is started. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  isReady(): Promise<boolean>;
}

const RESTART_MS = 500;
/** Longer than a service takes to drain, and than it may be frozen. */
const STOP_MS = 30_000;

/** Makes the service of a program, which is not started yet. `clock` says how far its clock is off, anew at each start. */
export function createService(spec: ProgramSpec, wires: readonly TcpRelay[], clock = () => 0): SoakService {
  const log = createWriteStream(spec.logFile, { flags: 'a' });
  const exits: string[] = [];
  let child: ChildProcess | null = null;
  let gone: Promise<void> = Promise.resolve();
  let isWanted = false;
  const start = (): void => {
    isWanted = true;
    if (child !== null) return;
    const env = Object.fromEntries(Object.entries(spec.env).filter(([, value]) => value !== undefined));
    const offMs = clock();
    log.write(`${new Date().toISOString()} started with a clock that is ${offMs / 60_000} minutes ahead\n`);
    const born = spawn(process.execPath, [...spec.args], {
      cwd: getCheckoutPath(),
      env: offMs === 0 ? env : { ...env, NODE_OPTIONS: withClock(offMs) },
      stdio: ['ignore', 'pipe', 'pipe', ...(spec.sockets ?? [])],
    });
    born.stdout?.pipe(log, { end: false });
    born.stderr?.pipe(log, { end: false });
    child = born;
    gone = new Promise((resolve) =>
      born.once('exit', (code, signal) => {
        child = null;
        resolve();
        if (!isWanted) return;
        exits.push(`${new Date().toISOString()} ${spec.name} ended with ${code ?? signal}`);
        void delay(RESTART_MS).then(() => isWanted && start());
      }),
    );
  };
  return {
    name: spec.name,
    wires,
    exits,
    start,
    signal: (signal) => void child?.kill(signal),
    end: async (signal) => {
      isWanted = false;
      const ending = child;
      if (ending === null) return;
      ending.kill(signal);
      const late = setTimeout(() => ending.kill('SIGKILL'), STOP_MS);
      await gone;
      clearTimeout(late);
    },
    isReady: () =>
      fetch(spec.readyUrl, { signal: AbortSignal.timeout(3_000) }).then(
        (answer) => answer.ok,
        () => false,
      ),
  };
}
