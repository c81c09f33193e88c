import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@signalbox/contracts/ids';
import { sleep } from '@signalbox/contracts/time';
import type { Limits } from './limits.ts';

/** Counts the processes and the memory of one command together. */
export interface ControlGroup {
  add(pid: number): void;
  /** Whether the kernel ended something in it for want of memory. */
  ranOutOfMemory(): boolean;
  /** Forgets it once its processes are gone. */
  remove(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';
const PREFIX = 'signalbox-';
/** The kernel takes a moment to let go of a group whose processes have ended. */
const REMOVE_ATTEMPTS = 40;

/** Makes a control group of either version; null where this process may not, which is usual unless it is root. */
export function createControlGroup(limits: Limits): ControlGroup | null {
  const name = `${PREFIX}${newId('run')}`;
  const isUnified = existsSync(join(ROOT, 'cgroup.controllers'));
  const folders = isUnified ? [join(ROOT, name)] : [join(ROOT, 'memory', name), join(ROOT, 'pids', name)];
  const memory = folders[0] as string; // there is at least one in both lists
  const made: string[] = [];
  try {
    for (const folder of folders) {
      mkdirSync(folder);
      made.push(folder);
    }
    writeFileSync(join(memory, isUnified ? 'memory.max' : 'memory.limit_in_bytes'), String(limits.memoryBytes));
    writeFileSync(join(folders.at(-1) as string, 'pids.max'), String(limits.processes)); // as above
  } catch {
    for (const folder of made) removeIfEmpty(folder);
    return null;
  }
  writeIfThere(
    join(memory, isUnified ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes'),
    isUnified ? 0 : limits.memoryBytes,
  );
  return {
    add: (pid) => folders.forEach((folder) => writeFileSync(join(folder, 'cgroup.procs'), String(pid))),
    ranOutOfMemory: () =>
      /^oom_kill [1-9]/m.test(readIfThere(join(memory, isUnified ? 'memory.events' : 'memory.oom_control'))),
    remove: async () => {
      for (const folder of folders) {
        for (let attempt = 0; attempt < REMOVE_ATTEMPTS && !removeIfEmpty(folder); attempt += 1) await sleep(25);
      }
    },
  };
}

/** Called when the service starts: removes the groups that an earlier process was killed with. Those with a process in them stay. */
export function sweepControlGroups(): void {
  for (const parent of [ROOT, join(ROOT, 'memory'), join(ROOT, 'pids')]) {
    if (!existsSync(parent)) continue;
    for (const name of readdirSync(parent)) if (name.startsWith(PREFIX)) removeIfEmpty(join(parent, name));
  }
}

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

function writeIfThere(file: string, value: number): void {
  try {
    writeFileSync(file, String(value));
  } catch {
    // A kernel without accounting of swap: the limit of memory itself holds.
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
