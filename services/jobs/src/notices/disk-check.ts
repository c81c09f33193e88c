import { formatBytes } from '@signalbox/contracts/file-name';
import type { DiskSpace } from '@signalbox/contracts/size';
import type { FaultCheck } from './admin-notices.ts';

/** Share of a disk at which the admins are told. */
const FULL = 0.8;
/** Share below which it is over. The gap keeps a disk that wavers from being reported again and again. */
const OVER = 0.75;

/** Checks for disks that fill up. Says each with its use and what is free: `audit 83 % (3.1 GB)`. */
export function createDiskCheck(disks: () => Promise<Readonly<Record<string, DiskSpace>>>): FaultCheck {
  let isFull = false;
  return async () => {
    const limit = isFull ? OVER : FULL;
    const full = Object.entries(await disks()).filter(([, { free, size }]) => size > 0 && 1 - free / size >= limit);
    isFull = full.length > 0;
    return isFull ? full.map(describe).join(', ') : null;
  };
}

function describe([place, { free, size }]: [string, DiskSpace]): string {
  return `${place} ${Math.floor((1 - free / size) * 100)} % (${formatBytes(free)})`;
}
