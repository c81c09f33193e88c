import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { abortAfter, sleep } from '@signalbox/contracts/time';
import { stopProcess, type ServiceRecord } from './instance.ts';
import { logSize, readLogTail } from './log-file.ts';
import { endWithParent } from '../parent-death.ts';
import { identifyChild, sendSignal, type ProcessIdentity } from './process-identity.ts';
import { openServiceLog, type ServiceLog } from './service-log.ts';
import { lastLines, SetupError } from '../setup-error.ts';

/** A program to keep running: `words` are the arguments of node, `main` the one that names its file. */
export interface ProgramSpec {
  readonly name: string;
  readonly words: readonly string[];
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Answers 200 once the program serves. */
  readonly readyUrl: string;
  readonly logFile: string;
  /** Before its first restart; the supervisor's own when it is left out. */
  readonly firstBackoffMs?: number;
  /** Descriptors of sockets that it gets as 3, 4 and so on, each time that it is started. */
  readonly sockets?: readonly number[];
}

/** How patient a supervisor is, in milliseconds. */
export interface SupervisorTimes {
  readonly readyTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly firstBackoffMs: number;
  readonly lastBackoffMs: number;
  /** A program that ran this long has recovered: its next death begins at the first backoff again. */
  readonly recoveredAfterMs: number;
}

export interface Supervisor {
  /** Starts a program and answers when it is ready. Throws a SetupError with its last words when it ends or hangs. */
  readonly start: (spec: ProgramSpec) => Promise<void>;
  /** Stops every program, the last started first. Idempotent. */
  readonly stop: () => Promise<void>;
  /** Ends every program at once, with everything it started. */
  readonly kill: () => void;
  /** What runs now, in the order of starting. */
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
  /** Fulfilled when the process is gone and all its output was read. */
  closed: Promise<unknown>;
  backoffMs: number;
  startedAt: number;
}

/**
 * Keeps programs running until `stop`, and no longer than this process: whatever ends it, they are told to end. `changed` is called
 * whenever the processes behind `services` are others.
 */
export function createSupervisor(options: {
  readonly report: (line: string) => void;
  readonly changed: () => void;
  readonly times?: Partial<SupervisorTimes>;
}): Supervisor {
  const times = { ...TIMES, ...options.times };
  const stopping = new AbortController();
  const programs: Program[] = [];
  const firstBackoffOf = (spec: ProgramSpec): number => spec.firstBackoffMs ?? times.firstBackoffMs;

  async function start(spec: ProgramSpec): Promise<void> {
    const log = openServiceLog(spec.name, spec.logFile, options.report);
    const logStart = logSize(spec.logFile);
    const program = { spec, log, ...spawnProgram(spec, log), backoffMs: firstBackoffOf(spec), startedAt: Date.now() };
    programs.push(program);
    options.changed();
    const problem = await waitUntilReady(program, times.readyTimeoutMs, stopping.signal);
    if (stopping.signal.aborted) return;
    if (problem !== null) {
      throw new SetupError(`${spec.name} ${problem}.`, {
        output: readLogTail(spec.logFile, logStart),
        remedy: `The whole log is in ${spec.logFile}.`,
      });
    }
    void keepRunning(program); // ends with `stopping`; it handles its own failures
  }

  async function keepRunning(program: Program): Promise<void> {
    while (!stopping.signal.aborted) {
      const end = await waitForEnd(program.child);
      if (stopping.signal.aborted) return;
      sendSignal(program.identity, 'SIGKILL', 'group'); // what it started must not fight with its successor
      if (Date.now() - program.startedAt >= times.recoveredAfterMs) program.backoffMs = firstBackoffOf(program.spec);
      const wait = program.backoffMs;
      program.backoffMs = Math.min(wait * 2, times.lastBackoffMs);
      const { name, logFile } = program.spec;
      options.report(`${name} ended (${end}); it starts again in ${wait / 1000} s, see ${logFile}`);
      await sleep(wait, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        Object.assign(program, spawnProgram(program.spec, program.log), { startedAt: Date.now() });
      } catch (error) {
        options.report(`${name} cannot be started: ${lastLines(String(error), 1).trim()}`);
        continue; // its old process is still dead, so the loop comes back here after the next backoff
      }
      options.changed();
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
  // A process group of its own: Ctrl-C reaches only the supervisor, and the group can be ended as one.
  const { file, words } = endWithParent('TERM', { file: process.execPath, words: spec.words });
  const child = spawn(file, [...words], {
    env: { ...spec.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(spec.sockets ?? [])],
  });
  child.on('error', () => undefined); // no pid then, which is thrown below
  if (child.stdout) log.follow(child.stdout);
  if (child.stderr) log.follow(child.stderr);
  const identity = identifyChild(child.pid ?? 0); // a child that has already ended still has an exit code to report
  if (identity === null) throw new SetupError(`${spec.name} could not be started.`, { remedy: 'Is the machine full?' });
  return { child, identity, closed: once(child, 'close') };
}

/** Null once the ready URL answers 200 (or `signal` fires); otherwise what went wrong. */
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
    return false; // not listening yet
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function waitForEnd(child: ChildProcess): Promise<string> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.signalCode === null ? `exit code ${child.exitCode}` : child.signalCode;
}
