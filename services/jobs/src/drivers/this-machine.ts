import { MIB } from '@signalbox/contracts/size';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { EngineHost } from './host.ts';
import { runCaptured } from './process/commands.ts';

/** Opens the machine of the job service. `path`: the search path for programs. */
export function openThisMachine(path: string): EngineHost {
  return {
    address: '127.0.0.1',
    execute: (argv, { signal, maxBytes, ...ends }) => {
      const mark = { name: 'SIGNALBOX_COMMAND', value: randomUUID() };
      const environment = { PATH: path, LANG: 'C.UTF-8', [mark.name]: mark.value };
      const command = { argv, cwd: '/', environment, mark: `${mark.name}=${mark.value}`, signal, ...ends };
      return runCaptured(command, maxBytes);
    },
    measure: async (folder) => {
      const { bavail, blocks, bsize } = await statfs(nearest(folder));
      return {
        memoryFreeMb: Math.floor(Math.min(availableBytes(), readTotalBytes()) / MIB),
        diskMb: Math.floor((blocks * bsize) / MIB),
        diskFreeMb: Math.floor((bavail * bsize) / MIB),
      };
    },
    close: async () => undefined,
  };
}

/** Returns the memory of this machine or container in bytes. */
export function readTotalBytes(): number {
  const bound = process.constrainedMemory();
  return bound > 0 && bound < totalmem() ? bound : totalmem();
}

/** Returns the memory for new programs: free, or used by caches only. */
function availableBytes(): number {
  if (!existsSync('/proc/meminfo')) return freemem();
  const found = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'));
  return found?.[1] ? Number(found[1]) * 1024 : freemem();
}

/** Returns the folder or its nearest existing parent. An engine's folder may be unreadable. */
function nearest(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearest(dirname(folder));
}
