import { readdirSync, readFileSync, statSync } from 'node:fs';
import { sleep } from '@signalbox/contracts/time';
import { attempt } from '@signalbox/contracts/system-error';

/**
 * One process, for good: pids are reused, so the boot and the tick that it started at belong to it. `kill -0` would not do: it
 * answers for zombies, and for a later process with that pid.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** `<boot id>:<start tick>` */
  readonly startMark: string;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly session: number;
}

const PAUSE_MS = 40;
/** Linux reports hundredths of a second, whatever the kernel's timer. */
const TICK_MS = 10;
/** A killed process is gone within milliseconds, unless it waits for a disk. */
const GONE_MS = 10_000;

/** A running process; null when the pid is unused or a zombie's. `bootId`: avoids repeated reads. */
export function readProcess(pid: number, bootId = readBootId()): ProcessRow | null {
  const fields = readStat(pid);
  const [state, tick] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || tick === undefined) return null;
  return { pid, startMark: `${bootId}:${tick}`, parent: Number(fields[1]), session: Number(fields[3]) };
}

/** The fields of proc(5) from the third on; empty for an ended process. */
function readStat(pid: number | string): readonly string[] {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), null);
  // The program's name may hold blanks and parentheses, so fields count from the last parenthesis.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
}

export function isRunning(identity: ProcessIdentity): boolean {
  return readProcess(identity.pid)?.startMark === identity.startMark;
}

/** True when the process was started with this `NAME=value`. False also for another user's process. */
function hasVariable(pid: number, assignment: string): boolean {
  const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'latin1'), '');
  return `\0${environment}`.includes(`\0${assignment}\0`);
}

/**
 * All that belongs to a program: what carries its mark in the environment, what is in one of the sessions or among `pids`, and what
 * descends from those. Only a process that has cleared its environment, left its session and lost its parents is not found.
 */
export function findFamily(
  of: { readonly mark: string; readonly sessions: readonly ProcessIdentity[]; readonly pids?: readonly number[] },
  except: (row: ProcessRow) => boolean = () => false,
): readonly ProcessRow[] {
  const rows = listProcesses();
  // A session's number stays taken while it has members, so only its leader can have been replaced.
  const sessions = new Set(of.sessions.filter((leader) => isSameOrGone(rows, leader)).map(({ pid }) => pid));
  const family = new Set(
    rows
      .filter((row) => sessions.has(row.session) || of.pids?.includes(row.pid) || hasVariable(row.pid, of.mark))
      .map(({ pid }) => pid),
  );
  for (let size = -1; size !== family.size;) {
    size = family.size;
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid);
  }
  return rows.filter((row) => family.has(row.pid) && row.pid !== process.pid && !except(row));
}

/** Kills the found processes until none is found. Throws the signal's reason, or reports survivors. */
export async function endAll(find: () => readonly ProcessRow[], signal: AbortSignal): Promise<number> {
  const deadline = performance.now() + GONE_MS;
  let ended = 0;
  for (let left = find(); left.length > 0; left = find()) {
    signal.throwIfAborted();
    if (performance.now() > deadline)
      throw new Error(`processes ${left.map(({ pid }) => pid).join(', ')} do not end when killed`);
    for (const row of left) sendSignal(row, 'SIGKILL');
    ended = Math.max(ended, left.length);
    await sleep(PAUSE_MS, signal);
  }
  return ended;
}

/** Signals exactly that process; an ended one is no error. */
export function sendSignal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    // ESRCH: it ended meanwhile. EPERM: it became another user's, and is reported as a survivor.
    if (!(error instanceof Error)) throw error;
  }
}

/** Waits for `isOver`; false after `timeoutMs`. Throws the signal's reason. */
export async function waitUntil(isOver: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!isOver()) {
    signal.throwIfAborted();
    if (performance.now() >= deadline) return false;
    await sleep(PAUSE_MS, signal);
  }
  return true;
}

/** Memory in megabytes, shared memory counted once; null when unreadable. */
export function measureMemoryMb(rows: readonly ProcessRow[]): number | null {
  const shares = rows.map(({ pid }) => readShareKb(pid)).filter((share) => share !== null);
  return shares.length === 0 ? null : Math.round(shares.reduce((sum, share) => sum + share, 0) / 1_024);
}

/** Processor time of processes and their ended children, in milliseconds. */
export function measureCpuMs(rows: readonly ProcessRow[]): number {
  return rows.reduce((sum, { pid }) => sum + readTicks(pid) * TICK_MS, 0);
}

export function countOwnTasks(): number {
  const own = process.getuid?.();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, name) => sum + countTasks(name, own), 0);
}

function countTasks(pid: string, owner: number | undefined): number {
  const isOwn = attempt(() => statSync(`/proc/${pid}`).uid === owner, false);
  return isOwn ? Number(readStat(pid)[17] ?? 0) : 0; // field 20
}

function readTicks(pid: number): number {
  // Fields 14 to 17: user and system time, of itself and of its children.
  return readStat(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}

function readShareKb(pid: number): number | null {
  const shares = attempt(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), '');
  return Number(/^Pss:\s+(\d+)/m.exec(shares)?.[1] ?? Number.NaN) || null;
}

function listProcesses(): readonly ProcessRow[] {
  const bootId = readBootId();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name), bootId))
    .filter((row) => row !== null);
}

function isSameOrGone(rows: readonly ProcessRow[], leader: ProcessIdentity): boolean {
  const now = rows.find(({ pid }) => pid === leader.pid);
  return now ? now.startMark === leader.startMark : leader.startMark.startsWith(`${readBootId()}:`);
}

/** The machine's boot id: with it, a pid and a start tick identify a process forever. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
