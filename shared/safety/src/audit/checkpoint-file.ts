import { createReadStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '@signalbox/contracts/errors';
import { parseJson } from '@signalbox/contracts/system-error';
import { CheckpointLine } from './checkpoint.ts';

/** Returns the path of the checkpoint file in a folder. */
export function getCheckpointFile(dir: string): string {
  return join(dir, 'checkpoints.jsonl');
}

/**
 * Reads the lines of a checkpoint file in order; yields nothing when the file is missing. An incomplete last line, cut off by a crash, is
 * ignored. Throws AUDIT_EXPORT_UNREADABLE with the number of an invalid line.
 */
export async function* readCheckpointFile(file: string): AsyncGenerator<CheckpointLine> {
  const sizeBytes = await wholeBytes(file);
  if (sizeBytes === 0) return;
  const lines = createInterface({ input: createReadStream(file, { end: sizeBytes - 1 }), crlfDelay: Infinity });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line === '') continue;
    const parsed = CheckpointLine.safeParse(parseJson(line));
    if (!parsed.success)
      throw new AppError('AUDIT_EXPORT_UNREADABLE', { file, line: String(number), detail: 'it is not a checkpoint' });
    yield parsed.data;
  }
}

/** Appends lines and syncs them to disk. First cuts off an incomplete line of an earlier crash. */
export async function appendCheckpoints(file: string, lines: readonly CheckpointLine[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const sizeBytes = await wholeBytes(file);
  const handle = await open(file, 'a', 0o644);
  try {
    if ((await handle.stat()).size > sizeBytes) await handle.truncate(sizeBytes);
    await handle.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (sizeBytes === 0) await syncFolder(dirname(file));
}

/** Returns the size of a file's complete lines in bytes; 0 when the file is missing. */
async function wholeBytes(file: string): Promise<number> {
  const stats = await stat(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (!stats) return 0;
  const handle = await open(file, 'r');
  try {
    const block = Buffer.alloc(64 * 1024);
    for (let end = stats.size; end > 0;) {
      const begin = Math.max(0, end - block.length);
      const { bytesRead } = await handle.read(block, 0, end - begin, begin);
      const at = block.subarray(0, bytesRead).lastIndexOf(0x0a);
      if (at >= 0) return begin + at + 1;
      end = begin;
    }
    return 0;
  } finally {
    await handle.close();
  }
}

async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
