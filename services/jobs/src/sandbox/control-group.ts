import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@signalbox/contracts/ids';
import { MIB } from '@signalbox/contracts/size';
import { attempt } from '@signalbox/contracts/system-error';
import { sleep } from '@signalbox/contracts/time';
import { hasRefusedMemory, listGroupParents, makeGroup, removeGroup } from './cgroup.ts';
import type { Limits } from './limits.ts';

/** How the groups of commands in the sandbox begin. */
const OF_SANDBOX = 'signalbox-';
/** The kernel takes a moment to let go of a group whose processes have ended. */
const REMOVE_ATTEMPTS = 40;

/**
 * Makes the control group of a command in the sandbox, which counts its processes and its memory together; null where this process may
 * not, which is usual unless it is root.
 */
export function createControlGroup({ memoryBytes, processes: tasks }: Limits) {
  const folders = makeGroup(`${OF_SANDBOX}${newId('run')}`, { memoryMb: memoryBytes / MIB, cpus: null, tasks });
  if (folders === null) return null;
  return {
    add: (pid: number): void => folders.forEach((folder) => writeFileSync(join(folder, 'cgroup.procs'), String(pid))),
    /** Whether the kernel ended something in it for want of memory. */
    ranOutOfMemory: () => hasRefusedMemory(folders),
    /** Forgets it once its processes are gone. */
    remove: async (): Promise<void> => {
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
