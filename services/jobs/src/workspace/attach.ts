import { lstat } from 'node:fs/promises';
import { AppError } from '@signalbox/contracts/errors';
import { allowMissing } from '@signalbox/contracts/system-error';
import { ATTACHMENTS_FOLDER } from '@signalbox/contracts/operations/workspace';
import { parsePath, requireWritable } from '@signalbox/safety/paths/boundary';
import { randomBytes } from 'node:crypto';
import type { WriteScope } from './files.ts';
import { putFile, withFile, withFolder } from './folder.ts';

interface KeptAttachment {
  readonly path: string;
  readonly sizeBytes: number;
}

const FILE_MODE = 0o644;
/** Files of one name in a conversation; whoever sends more starts another conversation. */
const MAX_NAMESAKES = 100;

/**
 * Puts a file that a person sent into the folder `attachments`. A file of that name with other content stays, and the new one gets a number;
 * with the same content it is the file. Idempotent. The caller holds the workspace's lock. Throws PATH_DENIED, PATH_UNSUITABLE,
 * WORKSPACE_FULL.
 */
export async function putAttachment(scope: WriteScope, name: string, bytes: Buffer): Promise<KeptAttachment> {
  for (let place = 1; place <= MAX_NAMESAKES; place += 1) {
    const parts = parsePath(`${ATTACHMENTS_FOLDER}/${numberName(name, place)}`);
    requireWritable(scope.bounds, parts);
    const found = await withFolder(scope.root, parts.slice(0, -1), { create: true }, async (folder) => {
      const last = parts.at(-1) as string; // the path has a folder and a name
      const stats = await allowMissing(lstat(folder.at(last)));
      if (stats !== null) return stats.isFile() && stats.size === bytes.length ? 'alike' : 'other';
      await scope.fits(bytes.length);
      const temporary = `.signalbox-${randomBytes(6).toString('hex')}`;
      await putFile(folder, last, bytes, { mode: FILE_MODE, temporary });
      return 'put';
    });
    const isSame = found === 'alike' && (await hasContent(scope.root, parts, bytes));
    if (found === 'put' || isSame) return { path: parts.join('/'), sizeBytes: bytes.length };
  }
  throw new AppError('PATH_UNSUITABLE', {
    path: `${ATTACHMENTS_FOLDER}/${name}`,
    problem: `is the name of ${MAX_NAMESAKES} files already`,
  });
}

/** `sales.csv`, then `sales-2.csv`. */
function numberName(name: string, place: number): string {
  if (place === 1) return name;
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}-${place}${name.slice(dot)}` : `${name}-${place}`;
}

/** A link or a file with two names counts as another file. */
async function hasContent(root: string, parts: readonly string[], bytes: Buffer): Promise<boolean> {
  try {
    return await withFile(root, parts, async (file) => {
      const isSame = bytes.equals(await file.readFile());
      // It is the file that was sent last.
      if (isSame) await file.utimes(new Date(), new Date());
      return isSame;
    });
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
