import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '@signalbox/contracts/system-error';

/**
 * One process, for good. Process ids are reused, within minutes on a busy machine and always after a reboot, so a pid
 * alone names no process: the start mark (boot id and start tick on Linux, start date elsewhere) belongs to it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startMark: string;
}

/** The identity of a running process, or null when there is none (a zombie counts as gone: it runs no code). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  return identify(pid, (state) => state !== 'Z' && state !== 'X');
}

/** The identity of a child of ours, also of one that has ended: its pid is its own until we have heard of its end. */
export function identifyChild(pid: number): ProcessIdentity | null {
  return identify(pid, () => true);
}

/** True while exactly this process runs; false once its pid is free or belongs to another process. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startMark === identity.startMark;
}

/** The words of a process's command line, or an empty list when it is gone or may not be read. */
export function readCommandLine(pid: number): readonly string[] {
  if (process.platform !== 'linux') return readPs(pid, 'args=')?.split(' ') ?? [];
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** Waits until the process is gone. Answers false when it still runs after `timeoutMs`. */
export async function waitForExit(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(identity)) {
    if (Date.now() >= deadline) return false;
    await delay(20);
  }
  return true;
}

/** Sends a signal to the process, or to its whole group; a process that is gone already is not an error. */
export function sendSignal(identity: ProcessIdentity, signal: NodeJS.Signals, target: 'process' | 'group'): void {
  if (!isRunning(identity) && target === 'process') return;
  try {
    process.kill(target === 'group' ? -identity.pid : identity.pid, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

function identify(pid: number, counts: (state: string | undefined) => boolean): ProcessIdentity | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const startMark = process.platform === 'linux' ? linuxStartMark(pid, counts) : readPs(pid, 'lstart=');
  return startMark === null ? null : { pid, startMark };
}

function linuxStartMark(pid: number, counts: (state: string | undefined) => boolean): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may hold blanks and parentheses itself: count fields after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTick] = [fields[0], fields[19]];
    if (!counts(state) || startTick === undefined) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTick}`;
  } catch {
    return null;
  }
}

function readPs(pid: number, column: string): string | null {
  try {
    const words = ['-o', column, '-p', String(pid)];
    return execFileSync('ps', words, { encoding: 'utf8', stdio: 'pipe', timeout: 5_000 }).trim() || null;
  } catch {
    return null;
  }
}
