import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A disk of its own with a few megabytes, to be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left. */
  readonly fill: () => void;
  /** Gives that room back. */
  readonly free: () => void;
  readonly unmount: () => void;
}

/** Mounts a disk in memory, at a folder of its own or at the one given. Throws where that is not allowed: it takes root, and a test without it would prove nothing. */
export function mountSmallDisk(name: string, sizeMb: number, folder = makeTemporaryFolder(name)): SmallDisk {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=755`, 'tmpfs', folder], { stdio: 'pipe' });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      // In ever smaller pieces, until not even a byte more is taken.
      for (const size of [64 * 1024, 4_096, 1]) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: () => execFileSync('umount', ['-l', folder], { stdio: 'pipe' }),
  };
}
