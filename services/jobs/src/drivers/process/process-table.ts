import { readdirSync, readFileSync, statSync } from 'node:fs';
import { sleep } from '@signalbox/contracts/time';
import { tryOr } from '@signalbox/contracts/system-error';

/** Identifies one process. Pids are reused, so boot id and start tick belong to the identity; `kill -0` would not suffice. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The process's start as `<boot id>:<start tick>`. */
  readonly startMark: string;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly session: number;
}

const PAUSE_MS = 40;
/** Milliseconds per tick: Linux reports hundredths of a second, whatever the kernel's timer. */
const TICK_MS = 10;
/** The time within which a killed process has to be gone; a process that waits for a disk takes longest. */
const GONE_MS = 10_000;

/** Reads a running process; null when no process has the pid, or a zombie. `bootId` avoids repeated reads. */
export function readProcess(pid: number, bootId = readBootId()): ProcessRow | null {
  const fields = readStat(pid);
  const [state, tick] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || tick === undefined) return null;
  return { pid, startMark: `${bootId}:${tick}`, parent: Number(fields[1]), session: Number(fields[3]) };
}

/** Reads the fields of /proc/<pid>/stat from the third on; none for an ended process. */
function readStat(pid: number | string): readonly string[] {
  const stat = tryOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), null);
  // The program name may contain blanks and parentheses, so fields start after the last parenthesis.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
}

export function isRunning(identity: ProcessIdentity): boolean {
  return readProcess(identity.pid)?.startMark === identity.startMark;
}

/** True when the process was started with this `NAME=value`. False when another user owns the process. */
function hasVariable(pid: number, assignment: string): boolean {
  const environment = tryOr(() => readFileSync(`/proc/${pid}/environ`, 'latin1'), '');
  return `\0${environment}`.includes(`\0${assignment}\0`);
}

/** Finds a program's processes: by mark, session or `pids`, and their descendants. Misses a process that left all of these. */
export function findProcessTree(
  of: { readonly mark: string; readonly sessions: readonly ProcessIdentity[]; readonly pids?: readonly number[] },
  except: (row: ProcessRow) => boolean = () => false,
): readonly ProcessRow[] {
  const rows = listProcesses();
  // The number of a session is not reused while the session has members, so only its leader can be another process.
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

/** Kills the processes that `find` returns until none is left. Throws the signal's reason, or an error that names survivors. */
export async function killProcesses(find: () => readonly ProcessRow[], signal: AbortSignal): Promise<number> {
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

/** Signals exactly the identified process; does nothing when that process has ended. */
export function sendSignal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    // ESRCH: the process has ended. EPERM: it belongs to another user now, and `killProcesses` reports it as a survivor.
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

/** Measures memory in megabytes and counts shared memory once; null when unreadable. */
export function measureMemoryMb(rows: readonly ProcessRow[]): number | null {
  const shares = rows.map(({ pid }) => readShareKb(pid)).filter((share) => share !== null);
  return shares.length === 0 ? null : Math.round(shares.reduce((sum, share) => sum + share, 0) / 1_024);
}

/** Measures the processor time of processes and their ended children, in milliseconds. */
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
  const isOwn = tryOr(() => statSync(`/proc/${pid}`).uid === owner, false);
  return isOwn ? Number(readStat(pid)[17] ?? 0) : 0; // Field 20 is the number of threads.
}

function readTicks(pid: number): number {
  // Fields 14 to 17: user and system time of the process and of its children.
  return readStat(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}

function readShareKb(pid: number): number | null {
  const shares = tryOr(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), '');
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

export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
