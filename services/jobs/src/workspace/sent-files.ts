import { lstat, readdir } from 'node:fs/promises';
import { AppError } from '@signalbox/contracts/errors';
import { ATTACHMENTS_FOLDER } from '@signalbox/contracts/operations/workspace';
import { allowMissing } from '@signalbox/contracts/system-error';
import { parsePath } from '@signalbox/safety/paths/boundary';
import { withFolder, type Folder } from './folder.ts';

/**
 * Finds the path of a file that a person means: the path itself, the bare name of a file that they sent, or for the folder of sent files
 * the one that was sent last. Throws PATH_DENIED, and NOT_FOUND for an empty folder of sent files.
 */
export async function findMeantPath(root: string, path: string): Promise<string> {
  const parts = parsePath(path);
  const [name, ...below] = parts;
  if (name === undefined || below.length > 0) return path;
  const isThere = await withFolder(root, [], { create: false }, async (folder) => {
    const stats = await allowMissing(lstat(folder.at(name)));
    return stats !== null && !(stats.isDirectory() && name === ATTACHMENTS_FOLDER);
  });
  if (isThere) return path;
  const sent = await listSentFiles(root, name === ATTACHMENTS_FOLDER);
  const meant = name === ATTACHMENTS_FOLDER ? sent.at(-1) : sent.find((one) => one.name === name);
  if (meant !== undefined) return `${ATTACHMENTS_FOLDER}/${meant.name}`;
  if (name !== ATTACHMENTS_FOLDER) return path;
  throw new AppError('NOT_FOUND', { kind: 'file', name: path, known: 'none that was sent' });
}

interface SentFile {
  readonly name: string;
  readonly sentAt: number;
}

/** Lists the files in the folder of sent files, the last one at the end; empty without a folder, unless it `isMeant`. */
async function listSentFiles(root: string, isMeant: boolean): Promise<readonly SentFile[]> {
  try {
    return await withFolder(root, [ATTACHMENTS_FOLDER], { create: false }, collectFiles);
  } catch (error) {
    if (!isMeant && error instanceof AppError) return [];
    throw error;
  }
}

async function collectFiles(folder: Folder): Promise<readonly SentFile[]> {
  const files: SentFile[] = [];
  for (const entry of await readdir(folder.at('.'), { withFileTypes: true })) {
    const stats = entry.isFile() ? await allowMissing(lstat(folder.at(entry.name))) : null;
    if (stats !== null) files.push({ name: entry.name, sentAt: stats.mtimeMs });
  }
  return files.toSorted((one, other) => one.sentAt - other.sentAt);
}
