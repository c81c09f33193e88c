import { statfs } from 'node:fs/promises';
import { UsageError, type CommandContext, type CommandResult } from '@signalbox/cli/command';
import { formatTable } from '@signalbox/cli/table';

/** What is free on the disks of these folders. Throws UsageError without a folder. */
export async function runDisks({ arguments: { words } }: CommandContext): Promise<CommandResult> {
  if (words.length === 0) throw new UsageError('Write: disks <folder> …');
  const disks = await Promise.all(words.map(async (folder) => ({ folder, freeBytes: await readFree(folder) })));
  const rows = disks.map(({ folder, freeBytes }) => [folder, `${Math.floor(freeBytes / 1e9)} GB`]);
  return {
    ok: disks.every(({ freeBytes }) => freeBytes > 1e9),
    data: disks,
    lines: formatTable(['FOLDER', 'FREE'], rows),
  };
}

async function readFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
