import { statfs } from 'node:fs/promises';
import type { Figure, FigureKinds } from './figures.ts';

export const DISK_FIGURES: FigureKinds = {
  disk_free_bytes: { help: 'Bytes that this service may still write where it keeps its files.', labels: ['place'] },
  disk_size_bytes: { help: 'Size of the file system where this service keeps its files.', labels: ['place'] },
};

/** Reads the file systems of these folders, by the name of the place. A folder that is not there yet has no figures. */
export async function readDiskFigures(folders: Readonly<Record<string, string>>): Promise<readonly Figure[]> {
  const read = async ([place, folder]: [string, string]): Promise<readonly Figure[]> => {
    const disk = await statfs(folder).catch(ignoreAbsence);
    if (disk === null) return [];
    return [
      { name: 'disk_free_bytes', labels: { place }, value: disk.bavail * disk.bsize },
      { name: 'disk_size_bytes', labels: { place }, value: disk.blocks * disk.bsize },
    ];
  };
  return (await Promise.all(Object.entries(folders).map(read))).flat();
}

function ignoreAbsence(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
