import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getSystemCode } from '@signalbox/contracts/system-error';

/** A process id with its start time (on Linux, boot id and start tick), because the system reuses process ids. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startMark: string;
}

/** Identifies a running process. Returns null when it has ended, also for a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  return identify(pid, (state) => state !== 'Z' && state !== 'X');
}

/** Identifies a child process. Also succeeds for a zombie, which has ended while its exit was not collected. */
export function identifyChild(pid: number): ProcessIdentity | null {
  return identify(pid, () => true);
}

/** True while this process runs, not another one with the same pid. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startMark === identity.startMark;
}

/** Returns the arguments of a process; an empty list when they cannot be read. */
export function readCommandLine(pid: number): readonly string[] {
  if (process.platform !== 'linux') return readPs(pid, 'args=')?.split(' ') ?? [];
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** Waits until the process has ended. Returns false after `timeoutMs`. */
export async function waitForExit(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(identity)) {
    if (Date.now() >= deadline) return false;
    await delay(20);
  }
  return true;
}

/** Sends a signal to a process or its group. Does nothing when it has ended. */
export function sendSignal(identity: ProcessIdentity, signal: NodeJS.Signals, target: 'process' | 'group'): void {
  if (!isRunning(identity) && target === 'process') return;
  try {
    process.kill(target === 'group' ? -identity.pid : identity.pid, signal);
  } catch (error) {
    if (getSystemCode(error) !== 'ESRCH') throw error;
  }
}

function identify(pid: number, isCounted: (state: string | undefined) => boolean): ProcessIdentity | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const startMark = process.platform === 'linux' ? linuxStartMark(pid, isCounted) : readPs(pid, 'lstart=');
  return startMark === null ? null : { pid, startMark };
}

function linuxStartMark(pid: number, isCounted: (state: string | undefined) => boolean): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may contain spaces and parentheses, so fields are counted after the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTick] = [fields[0], fields[19]];
    if (!isCounted(state) || startTick === undefined) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTick}`;
  } catch {
    return null;
  }
}

function readPs(pid: number, column: string): string | null {
  try {
    const args = ['-o', column, '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe', timeout: 5_000 }).trim() || null;
  } catch {
    return null;
  }
}
