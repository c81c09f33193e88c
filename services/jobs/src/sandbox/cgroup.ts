import { MIB } from '@signalbox/contracts/size';
import { attempt } from '@signalbox/contracts/system-error';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a program may have, all that it starts included. */
export interface ProgramLimits {
  readonly memoryMb: number;
  /** Null: as many as there are. */
  readonly cpus: number | null;
  /** Processes and threads together, as the kernel counts. */
  readonly tasks: number;
}

/** The folders of a program's control group: one with version 2, one per controller with version 1, that of memory first. */
export type GroupFolders = readonly string[];

const ROOT = '/sys/fs/cgroup';
const CPU_PERIOD_US = 100_000;

/**
 * Makes the control group of a program, or gives the one that it has with these limits. Null where this process may make none: it is not
 * root and nothing was delegated to it, or the kernel has not all controllers to give that the limits take.
 */
export function makeGroup(name: string, limits: ProgramLimits, root: string = ROOT): GroupFolders | null {
  for (const folders of candidates(name, root, limits.cpus)) {
    try {
      for (const folder of folders) mkdirSync(folder, { recursive: true });
      const [only] = folders;
      if (only !== undefined && folders.length === 1) limitVersion2(only, limits);
      else limitVersion1(folders, limits);
      return folders;
    } catch {
      removeGroup(folders);
    }
  }
  return null;
}

/** Forgets a group in which nothing runs any more; one that is in use stays. */
export function removeGroup(folders: GroupFolders): void {
  for (const folder of folders) {
    // It is not there, or something runs in it, which keeps its limits.
    attempt(() => rmdirSync(folder), undefined);
  }
}

/** The name of the group of an instance: of this installation, and never one of the sandbox, which sweeps its own. */
export function groupName(instanceFolder: string): string {
  return `signalbox.program-${createHash('sha256').update(instanceFolder).digest('hex').slice(0, 24)}`;
}

/** Who is in a group now. */
export function membersOf(folders: GroupFolders): readonly number[] {
  return folders.flatMap((folder) => read(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number));
}

/** What the kernel has refused a group, as the end of a sentence about what ran in it; empty when nothing. */
export function describeRefusals(folders: GroupFolders): string {
  if (hasRefusedMemory(folders)) return '; it used more memory than it may have';
  return has(folders, ['pids.events'], /^max [1-9]/m) ? '; it wanted more processes than it may have' : '';
}

/** Whether the kernel ended something in a group for want of memory. */
export function hasRefusedMemory(folders: GroupFolders): boolean {
  return has(folders, ['memory.events', 'memory.oom_control'], /^oom_kill [1-9]/m);
}

function has(folders: GroupFolders, files: readonly string[], pattern: RegExp): boolean {
  return folders.some((folder) => files.some((file) => pattern.test(read(join(folder, file)))));
}

/** What holds programs on this machine back, in words for a person who inspects the server. */
export function describeLimits(root: string = ROOT): string {
  const probe = `signalbox.probe-${randomUUID()}`;
  const folders = makeGroup(probe, { memoryMb: 64, cpus: 1, tasks: 16 }, root);
  if (folders === null) return 'memory and processes watched, CPUs not limited';
  removeGroup(folders);
  return `memory, CPUs and processes limited by cgroup v${folders.length === 1 ? 2 : 1}`;
}

/** Folders in which groups of this process may lie. */
export function listGroupParents(): readonly string[] {
  return [...new Set(candidates('', ROOT, null).flat())];
}

/** Version 2 at its root, else beside the group of this process, which is where systemd delegates; version 1 at its roots. */
function candidates(name: string, root: string, cpus: number | null): readonly GroupFolders[] {
  if (!existsSync(join(root, 'cgroup.controllers'))) return [controllersFor(cpus).map((one) => join(root, one, name))];
  const own = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup'))?.[1] ?? '/';
  return [[join(root, name)], ...(own === '/' ? [] : [[join(root, dirname(own), name)]])];
}

function controllersFor(cpus: number | null): readonly string[] {
  return ['memory', 'pids', ...(cpus === null ? [] : ['cpu'])];
}

function limitVersion2(folder: string, { memoryMb, cpus, tasks }: ProgramLimits): void {
  // A group has only the files of what its parent gives on; the root of most systems gives all of it already.
  const needed = controllersFor(cpus);
  if (!needed.every((one) => read(join(folder, 'cgroup.controllers')).split(/\s/).includes(one)))
    writeFileSync(join(dirname(folder), 'cgroup.subtree_control'), needed.map((one) => `+${one}`).join(' '));
  put(folder, 'memory.max', memoryMb * MIB);
  put(folder, 'pids.max', tasks);
  if (cpus !== null) put(folder, 'cpu.max', `${quotaOf(cpus)} ${CPU_PERIOD_US}`);
  putIfThere(folder, 'memory.swap.max', 0);
  // All of it ends together: half of a program is none.
  putIfThere(folder, 'memory.oom.group', 1);
}

function limitVersion1(
  [memory = '', pids = '', cpu = '']: GroupFolders,
  { memoryMb, tasks, cpus }: ProgramLimits,
): void {
  const bytes = memoryMb * MIB;
  // Memory together with swap may never be less than memory alone: what is raised is raised first, what is lowered last.
  putIfThere(memory, 'memory.memsw.limit_in_bytes', bytes);
  put(memory, 'memory.limit_in_bytes', bytes);
  putIfThere(memory, 'memory.memsw.limit_in_bytes', bytes);
  put(pids, 'pids.max', tasks);
  if (cpus === null) return;
  put(cpu, 'cpu.cfs_period_us', CPU_PERIOD_US);
  put(cpu, 'cpu.cfs_quota_us', quotaOf(cpus));
}

/** Microseconds of each period; less than a thousand no kernel takes. */
function quotaOf(cpus: number): number {
  return Math.max(1_000, Math.round(cpus * CPU_PERIOD_US));
}

/** Files of a control group are there or not; none is made. */
function put(folder: string, file: string, value: string | number): void {
  writeFileSync(join(folder, file), String(value), { flag: 'r+' });
}

/** Not by a kernel without accounting of swap, or an older one: the limit of memory itself holds. */
function putIfThere(folder: string, file: string, value: number): void {
  attempt(() => put(folder, file, value), undefined);
}

const read = (file: string): string => attempt(() => readFileSync(file, 'utf8'), '');
