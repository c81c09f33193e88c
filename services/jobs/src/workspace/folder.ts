import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { allowMissing, getSystemCode } from '@signalbox/contracts/system-error';
import { denyPath, type PathParts } from '@signalbox/safety/paths/boundary';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** An open folder. Names are resolved from its handle, so swapping a parent for a link has no effect. Linux only. */
export interface Folder {
  /** Builds a path to a name in the open folder. The name may be a link: use the path only with calls that follow none. */
  at(name: string): string;
  readonly handle: FileHandle;
}

/** Opens the folder of these path parts for `use`; no part may be a link. Throws PATH_DENIED or NOT_FOUND. */
export async function withFolder<T>(
  root: string,
  parts: PathParts,
  options: { readonly create: boolean },
  use: (folder: Folder) => Promise<T>,
): Promise<T> {
  let handle = await open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const [place, name] of parts.entries()) {
      const next = await openStep(handle, name, { path: parts.slice(0, place + 1).join('/'), ...options });
      await handle.close();
      handle = next;
    }
    await requireSame(handle, root, parts);
    return await use({ at: (name) => inside(handle, name), handle });
  } finally {
    await handle.close();
  }
}

/** Opens a regular file for reading. Throws PATH_DENIED for symbolic and hard links and special files, NOT_FOUND. */
export async function withFile<T>(root: string, parts: PathParts, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const path = parts.join('/');
  const name = parts.at(-1);
  if (name === undefined)
    throw new AppError('PATH_UNSUITABLE', { path: 'The workspace itself', problem: 'is a folder' });
  return withFolder(root, parts.slice(0, -1), { create: false }, async (folder) => {
    const file = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
      if (getSystemCode(error) === 'ELOOP') denyPath(path, 'it is a link');
      throw asMissing(error, path);
    });
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw new AppError('PATH_UNSUITABLE', { path, problem: 'is a folder' });
      if (!stats.isFile()) denyPath(path, 'it is no ordinary file');
      if (stats.nlink > 1) denyPath(path, 'it is a hard link: another name leads to the same file');
      await requireSame(file, root, parts);
      return await use(file);
    } finally {
      await file.close();
    }
  });
}

/** Writes a file atomically over the name, without following a link. `temporary` is the file's name until then. */
export async function putFile(
  folder: Folder,
  name: string,
  content: string | Uint8Array,
  { mode, temporary }: { readonly mode: number; readonly temporary: string },
): Promise<void> {
  await rm(folder.at(temporary), { force: true });
  const file = await open(folder.at(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(content);
    await file.chmod(mode);
    await file.sync();
    await rename(folder.at(temporary), folder.at(name));
  } catch (error) {
    await rm(folder.at(temporary), { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Reads the mode of an existing file; null when the file is missing. Throws PATH_DENIED, and PATH_UNSUITABLE for a folder. */
export async function readFileMode(folder: Folder, name: string, path: string): Promise<number | null> {
  const stats = await allowMissing(lstat(folder.at(name)));
  if (stats === null) return null;
  if (stats.isSymbolicLink()) denyPath(path, 'it is a link');
  if (stats.isDirectory()) throw new AppError('PATH_UNSUITABLE', { path, problem: 'is a folder' });
  if (!stats.isFile()) denyPath(path, 'it is no ordinary file');
  if (stats.nlink > 1) denyPath(path, 'it is a hard link: another name leads to the same file');
  return stats.mode & 0o777;
}

async function openStep(
  parent: FileHandle,
  name: string,
  options: { readonly path: string; readonly create: boolean },
): Promise<FileHandle> {
  const { path, create } = options;
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  try {
    return await open(inside(parent, name), flags);
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ELOOP' || (code === 'ENOTDIR' && (await isLink(inside(parent, name)))))
      denyPath(path, 'it is a link');
    if (code === 'ENOTDIR') throw new AppError('PATH_UNSUITABLE', { path, problem: 'is no folder' }, error);
    if (code !== 'ENOENT' || !create) throw asMissing(error, path);
  }
  await mkdir(inside(parent, name)).catch((error: unknown) => {
    if (getSystemCode(error) !== 'EEXIST') throw error; // Another process created the folder first; `openStep` checks that folder too.
  });
  return openStep(parent, name, { path, create: false });
}

/** Throws PATH_DENIED unless the open file is at the requested path. */
async function requireSame(handle: FileHandle, root: string, parts: PathParts): Promise<void> {
  if ((await readlink(`/proc/self/fd/${handle.fd}`)) !== join(root, ...parts))
    denyPath(parts.join('/'), 'it was moved while it was opened');
}

/** A path that vanished during the check was swapped, and counts as a link. */
async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => true,
  );
}

function inside(folder: FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

function asMissing(error: unknown, path: string): unknown {
  const code = getSystemCode(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return error;
  return new AppError('NOT_FOUND', { kind: 'file', name: path, known: 'ask for a list of the files' }, error);
}
