import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@signalbox/contracts/ids';
import { MIB } from '@signalbox/contracts/size';
import { attempt } from '@signalbox/contracts/system-error';
import { sleep } from '@signalbox/contracts/time';
import { hasRefusedMemory, listGroupParents, makeGroup, removeGroup } from './cgroup.ts';
import type { Limits } from './limits.ts';

/** The prefix of the sandbox's group names. */
const OF_SANDBOX = 'signalbox-';
/** The kernel frees a group a moment after its processes have ended. */
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
    ranOutOfMemory: () => hasRefusedMemory(folders),
    /** Removes the group after its processes have ended. */
    remove: async (): Promise<void> => {
      for (let tries = 0; tries < REMOVE_ATTEMPTS && folders.some((folder) => existsSync(folder)); tries += 1) {
        if (tries > 0) await sleep(25);
        removeGroup(folders);
      }
    },
  };
}

/** Removes groups left by a killed service at start. Those with processes stay. */
export function sweepControlGroups(): void {
  for (const parent of listGroupParents()) {
    const names = attempt(() => readdirSync(parent), []);
    removeGroup(names.filter((name) => name.startsWith(OF_SANDBOX)).map((name) => join(parent, name)));
  }
}
