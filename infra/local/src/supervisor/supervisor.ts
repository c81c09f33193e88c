import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { abortAfter, sleep } from '@signalbox/contracts/time';
import { stopProcess, type ServiceRecord } from './instance.ts';
import { readLogSize, readLogTail } from './log-file.ts';
import { endWithParent } from '../parent-death.ts';
import { identifyChild, sendSignal, type ProcessIdentity } from './process-identity.ts';
import { openServiceLog, type ServiceLog } from './service-log.ts';
import { takeLastLines, SetupError } from '../setup-error.ts';

/** A program to keep running. `args` are node's arguments, and `main` is the program's file among them. */
export interface ProgramSpec {
  readonly name: string;
  readonly args: readonly string[];
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** URL that returns 200 when the program is ready. */
  readonly readyUrl: string;
  readonly logFile: string;
  /** Delay before the first restart; the default is the supervisor's. */
  readonly firstBackoffMs?: number;
  /** Sockets that the program inherits as descriptors 3, 4, … at each start. */
  readonly sockets?: readonly number[];
}

export interface SupervisorTimes {
  readonly readyTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly firstBackoffMs: number;
  readonly lastBackoffMs: number;
  /** A program that ran this long restarts with the first delay again. */
  readonly recoveredAfterMs: number;
}

export interface Supervisor {
  /** Starts a program; resolves when it is ready. Throws SetupError with its last output when it ends or hangs. */
  readonly start: (spec: ProgramSpec) => Promise<void>;
  /** Stops all programs in reverse order. Idempotent. */
  readonly stop: () => Promise<void>;
  readonly kill: () => void;
  /** The running programs in start order. */
  readonly services: () => readonly ServiceRecord[];
}

const TIMES: SupervisorTimes = {
  readyTimeoutMs: 60_000,
  stopTimeoutMs: 15_000,
  firstBackoffMs: 500,
  lastBackoffMs: 10_000,
  recoveredAfterMs: 60_000,
};

/**
 * A program is in one of these modes:
 *   starting  spawned, its ready URL does not answer yet; an exit or the deadline fails `start`
 *   running   was ready once; an exit leads to waiting
 *   waiting   dead; spawned again after the backoff, straight to running: the others go on meanwhile
 *   stopping  SIGTERM was sent, no new spawn; the end is final
 */
interface Program {
  readonly spec: ProgramSpec;
  readonly log: ServiceLog;
  child: ChildProcess;
  identity: ProcessIdentity;
  /** Resolves when the process has ended and its output is complete. */
  closed: Promise<unknown>;
  backoffMs: number;
  startedAt: number;
}

/** Keeps programs running until `stop` or until this process dies. Calls `onChange` when the result of `services` changes. */
export function createSupervisor(options: {
  readonly report: (line: string) => void;
  readonly onChange: () => void;
  readonly times?: Partial<SupervisorTimes>;
}): Supervisor {
  const times = { ...TIMES, ...options.times };
  const stopping = new AbortController();
  const programs: Program[] = [];
  const getFirstBackoff = (spec: ProgramSpec): number => spec.firstBackoffMs ?? times.firstBackoffMs;

  async function start(spec: ProgramSpec): Promise<void> {
    const log = openServiceLog(spec.name, spec.logFile, options.report);
    const logStart = readLogSize(spec.logFile);
    const program = { spec, log, ...spawnProgram(spec, log), backoffMs: getFirstBackoff(spec), startedAt: Date.now() };
    programs.push(program);
    options.onChange();
    const problem = await waitUntilReady(program, times.readyTimeoutMs, stopping.signal);
    if (stopping.signal.aborted) return;
    if (problem !== null) {
      throw new SetupError(`${spec.name} ${problem}.`, {
        output: readLogTail(spec.logFile, logStart),
        remedy: `The whole log is in ${spec.logFile}.`,
      });
    }
    void keepRunning(program); // the promise never rejects; the loop ends with `stopping`
  }

  async function keepRunning(program: Program): Promise<void> {
    while (!stopping.signal.aborted) {
      const end = await waitForEnd(program.child);
      if (stopping.signal.aborted) return;
      sendSignal(program.identity, 'SIGKILL', 'group'); // remaining child processes would conflict with the next process
      if (Date.now() - program.startedAt >= times.recoveredAfterMs) program.backoffMs = getFirstBackoff(program.spec);
      const wait = program.backoffMs;
      program.backoffMs = Math.min(wait * 2, times.lastBackoffMs);
      const { name, logFile } = program.spec;
      options.report(`${name} ended (${end}); it starts again in ${wait / 1000} s, see ${logFile}`);
      await sleep(wait, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        Object.assign(program, spawnProgram(program.spec, program.log), { startedAt: Date.now() });
      } catch (error) {
        options.report(`${name} cannot be started: ${takeLastLines(String(error), 1).trim()}`);
        continue; // the loop retries after the next backoff
      }
      options.onChange();
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    for (const program of programs.toReversed()) {
      await stopProcess(program.identity, times.stopTimeoutMs);
      await Promise.race([program.closed, delay(1_000, undefined, { ref: false })]);
      program.log.close();
    }
  }

  return {
    start,
    stop,
    kill: () => {
      stopping.abort();
      for (const { identity } of programs) sendSignal(identity, 'SIGKILL', 'group');
    },
    services: () =>
      programs.map(({ spec, identity }) => ({
        name: spec.name,
        ...identity,
        main: spec.main,
        probeUrl: spec.readyUrl,
      })),
  };
}

function spawnProgram(spec: ProgramSpec, log: ServiceLog): Pick<Program, 'child' | 'identity' | 'closed'> {
  // The program gets its own process group: Ctrl-C reaches only the supervisor, and one signal kills the whole group.
  const { file, args } = endWithParent('TERM', { file: process.execPath, args: spec.args });
  const child = spawn(file, [...args], {
    env: { ...spec.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(spec.sockets ?? [])],
  });
  child.on('error', () => undefined); // the missing pid is handled below
  if (child.stdout) log.follow(child.stdout);
  if (child.stderr) log.follow(child.stderr);
  const identity = identifyChild(child.pid ?? 0); // identifyChild, because a process that has just ended still has an exit code
  if (identity === null) throw new SetupError(`${spec.name} could not be started.`, { remedy: 'Is the machine full?' });
  return { child, identity, closed: once(child, 'close') };
}

/** Waits until the ready URL returns 200 or `signal` aborts. Returns null then, otherwise the problem. */
async function waitUntilReady(program: Program, timeoutMs: number, signal: AbortSignal): Promise<string | null> {
  const deadline = Date.now() + timeoutMs;
  while (!signal.aborted) {
    if (hasEnded(program.child)) return `ended while it was starting (${await waitForEnd(program.child)})`;
    if (await answersOk(program.spec.readyUrl)) return null;
    if (Date.now() >= deadline) return `did not become ready within ${timeoutMs / 1000} s`;
    await sleep(50, signal);
  }
  return null;
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: abortAfter(2_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false; // the program does not listen yet
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function waitForEnd(child: ChildProcess): Promise<string> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.signalCode === null ? `exit code ${child.exitCode}` : child.signalCode;
}
