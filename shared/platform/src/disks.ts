import type { DiskSpace } from '@signalbox/contracts/size';
import { statfs } from 'node:fs/promises';
import type { Figure, FigureKinds } from './figures.ts';

export const DISK_FIGURES: FigureKinds = {
  disk_free_bytes: { help: 'Bytes that this service may still write where it keeps its files.', labels: ['place'] },
  disk_size_bytes: {
    help: 'Bytes that are used, and that this service may still write, where it keeps its files.',
    labels: ['place'],
  },
};

/** Reads the file systems of these folders, by the name of the place. Leaves out a folder that is not there yet. */
export async function readDisks(
  folders: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, DiskSpace>>> {
  const read = async ([place, folder]: [string, string]): Promise<readonly (readonly [string, DiskSpace])[]> => {
    const disk = await statfs(folder).catch(ignoreAbsence);
    if (disk === null) return [];
    // As df counts: blocks that are kept for others are no part of the size, so a disk is not called full for them.
    const { bsize, blocks, bfree, bavail } = disk;
    return [[place, { free: bavail * bsize, size: (blocks - bfree + bavail) * bsize }]];
  };
  return Object.fromEntries((await Promise.all(Object.entries(folders).map(read))).flat());
}

/** Reads the same as figures. */
export async function readDiskFigures(folders: Readonly<Record<string, string>>): Promise<readonly Figure[]> {
  return Object.entries(await readDisks(folders)).flatMap(([place, { free, size }]) => [
    { name: 'disk_free_bytes', labels: { place }, value: free },
    { name: 'disk_size_bytes', labels: { place }, value: size },
  ]);
}

function ignoreAbsence(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
