import { MIB } from '@signalbox/contracts/size';
import { tryOr } from '@signalbox/contracts/system-error';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface ProgramLimits {
  readonly memoryMb: number;
  readonly cpus: number | null;
  /** Maximum processes and threads together, as the kernel counts. */
  readonly tasks: number;
}

/** Folders of a control group: in version 2 a single folder; in version 1 a folder per controller, memory first. */
export type GroupFolders = readonly string[];

const ROOT = '/sys/fs/cgroup';
const CPU_PERIOD_US = 100_000;

/** Creates or updates the control group of a program. Null when this process may not, or the kernel lacks a controller. */
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

/** Removes an empty group; a group with processes stays. */
export function removeGroup(folders: GroupFolders): void {
  for (const folder of folders) {
    // A missing folder is ignored, and so is a folder with processes, which keep their limits.
    tryOr(() => rmdirSync(folder), undefined);
  }
}

/** Builds the group name of an instance: unique to this installation, and never removed with the sandbox's groups. */
export function nameGroup(instanceFolder: string): string {
  return `signalbox.program-${createHash('sha256').update(instanceFolder).digest('hex').slice(0, 24)}`;
}

export function listMembers(folders: GroupFolders): readonly number[] {
  return folders.flatMap((folder) => read(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number));
}

/** Describes the kernel's refusals in a control group as the end of a sentence; empty when there were none. */
export function describeRefusals(folders: GroupFolders): string {
  if (wasKilledForMemory(folders)) return '; it used more memory than it may have';
  return has(folders, ['pids.events'], /^max [1-9]/m) ? '; it wanted more processes than it may have' : '';
}

/** True when the kernel killed a process of the group for lack of memory. */
export function wasKilledForMemory(folders: GroupFolders): boolean {
  return has(folders, ['memory.events', 'memory.oom_control'], /^oom_kill [1-9]/m);
}

function has(folders: GroupFolders, files: readonly string[], pattern: RegExp): boolean {
  return folders.some((folder) => files.some((file) => pattern.test(read(join(folder, file)))));
}

/** Describes the limits of programs on this machine for a person who inspects the server. */
export function describeLimits(root: string = ROOT): string {
  const probe = `signalbox.probe-${randomUUID()}`;
  const folders = makeGroup(probe, { memoryMb: 64, cpus: 1, tasks: 16 }, root);
  if (folders === null) return 'memory and processes watched, CPUs not limited';
  removeGroup(folders);
  return `memory, CPUs and processes limited by cgroup v${folders.length === 1 ? 2 : 1}`;
}

/** Lists possible parent folders for groups of this process. */
export function listGroupParents(): readonly string[] {
  return [...new Set(candidates('', ROOT, null).flat())];
}

/** Version 2: the root, else the group of this process, which systemd delegates. Version 1: the roots. */
function candidates(name: string, root: string, cpus: number | null): readonly GroupFolders[] {
  if (!existsSync(join(root, 'cgroup.controllers'))) return [controllersFor(cpus).map((one) => join(root, one, name))];
  const own = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup'))?.[1] ?? '/';
  return [[join(root, name)], ...(own === '/' ? [] : [[join(root, dirname(own), name)]])];
}

function controllersFor(cpus: number | null): readonly string[] {
  return ['memory', 'pids', ...(cpus === null ? [] : ['cpu'])];
}

function limitVersion2(folder: string, { memoryMb, cpus, tasks }: ProgramLimits): void {
  // A group has only the controllers that its parent enables; most roots enable all.
  const needed = controllersFor(cpus);
  if (!needed.every((one) => read(join(folder, 'cgroup.controllers')).split(/\s/).includes(one)))
    writeFileSync(join(dirname(folder), 'cgroup.subtree_control'), needed.map((one) => `+${one}`).join(' '));
  put(folder, 'memory.max', memoryMb * MIB);
  put(folder, 'pids.max', tasks);
  if (cpus !== null) put(folder, 'cpu.max', `${quotaOf(cpus)} ${CPU_PERIOD_US}`);
  putIfThere(folder, 'memory.swap.max', 0);
  // All processes of a group are killed together: half a program is useless.
  putIfThere(folder, 'memory.oom.group', 1);
}

function limitVersion1(
  [memory = '', pids = '', cpu = '']: GroupFolders,
  { memoryMb, tasks, cpus }: ProgramLimits,
): void {
  const bytes = memoryMb * MIB;
  // Memory plus swap may never be below memory alone, so it is raised first and lowered last.
  putIfThere(memory, 'memory.memsw.limit_in_bytes', bytes);
  put(memory, 'memory.limit_in_bytes', bytes);
  putIfThere(memory, 'memory.memsw.limit_in_bytes', bytes);
  put(pids, 'pids.max', tasks);
  if (cpus === null) return;
  put(cpu, 'cpu.cfs_period_us', CPU_PERIOD_US);
  put(cpu, 'cpu.cfs_quota_us', quotaOf(cpus));
}

/** Computes the processor quota in microseconds per period; the kernel refuses less than a thousand. */
function quotaOf(cpus: number): number {
  return Math.max(1_000, Math.round(cpus * CPU_PERIOD_US));
}

/** `r+` does not create the file: the kernel provides the files of a control group. */
function put(folder: string, file: string, value: string | number): void {
  writeFileSync(join(folder, file), String(value), { flag: 'r+' });
}

/** Ignores missing files: without swap accounting or on older kernels the memory limit still holds. */
function putIfThere(folder: string, file: string, value: number): void {
  tryOr(() => put(folder, file, value), undefined);
}

const read = (file: string): string => tryOr(() => readFileSync(file, 'utf8'), '');
