import { statfs } from 'node:fs/promises';
import type { JobHandler } from '@signalbox/jobs/runner/handlers';

const MEGABYTE = 1024 * 1024;

/** Measures the disk that holds a folder. */
export function createDiskReport(folder: string): JobHandler<object, { freeMb: number; totalMb: number }> {
  return {
    title: () => 'Measuring the disk',
    run: async () => {
      const { bavail, blocks, bsize } = await statfs(folder);
      return { freeMb: Math.floor((bavail * bsize) / MEGABYTE), totalMb: Math.floor((blocks * bsize) / MEGABYTE) };
    },
    say: ({ freeMb, totalMb }) => `${freeMb} of ${totalMb} MB are free.`,
    isNotable: ({ freeMb, totalMb }) => freeMb < totalMb / 10,
  };
}
