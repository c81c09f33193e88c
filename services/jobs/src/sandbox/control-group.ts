import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@signalbox/contracts/ids';
import { MIB } from '@signalbox/contracts/size';
import { attempt } from '@signalbox/contracts/system-error';
import { sleep } from '@signalbox/contracts/time';
import { hasRefusedMemory, listGroupParents, makeGroup, removeGroup } from '../drivers/process/control-group.ts';
import type { Limits } from './limits.ts';

/** How the groups of commands in the sandbox begin. */
const OF_SANDBOX = 'signalbox-';
/** The kernel takes a moment to let go of a group whose processes have ended. */
const REMOVE_ATTEMPTS = 40;

/** Counts the processes and the memory of one command in the sandbox together. */
export interface ControlGroup {
  add(pid: number): void;
  /** Whether the kernel ended something in it for want of memory. */
  ranOutOfMemory(): boolean;
  /** Forgets it once its processes are gone. */
  remove(): Promise<void>;
}

/** Makes the control group of a command in the sandbox; null where this process may not, which is usual unless it is root. */
export function createControlGroup({ memoryBytes, processes: tasks }: Limits): ControlGroup | null {
  const folders = makeGroup(`${OF_SANDBOX}${newId('run')}`, { memoryMb: memoryBytes / MIB, cpus: null, tasks });
  if (folders === null) return null;
  return {
    add: (pid) => folders.forEach((folder) => writeFileSync(join(folder, 'cgroup.procs'), String(pid))),
    ranOutOfMemory: () => hasRefusedMemory(folders),
    remove: async () => {
      for (let tries = 0; tries < REMOVE_ATTEMPTS && folders.some((folder) => existsSync(folder)); tries += 1) {
        if (tries > 0) await sleep(25);
        removeGroup(folders);
      }
    },
  };
}

/** Called when the service starts: removes the groups of commands that an earlier process was killed with. Those with a process in them stay. */
export function sweepControlGroups(): void {
  for (const parent of listGroupParents()) {
    const names = attempt(() => readdirSync(parent), []);
    removeGroup(names.filter((name) => name.startsWith(OF_SANDBOX)).map((name) => join(parent, name)));
  }
}
