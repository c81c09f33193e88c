import { mkdir, lstat, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { allowMissing, getSystemCode } from '@signalbox/contracts/system-error';

/** The configuration that `git init` writes, as far as git needs it, without needing git. */
const GIT_CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';
const GIT_FOLDERS = ['hooks', 'info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];

/**
 * Opens a workspace by its name. Returns its absolute path without links, and a notes folder that nothing in the workspace can reach.
 * Creates a new workspace as an empty git repository. Concurrent calls are safe: the first rename wins. Throws WORKSPACE_DAMAGED when the
 * repository's files are missing or replaced.
 */
export async function openWorkspace(home: string, name: string) {
  const folder = join(resolve(home), 'files', name);
  const notes = join(resolve(home), 'notes', name);
  // Only this service's user may read people's files.
  await mkdir(join(resolve(home), 'files'), { recursive: true, mode: 0o700 });
  await mkdir(notes, { recursive: true, mode: 0o700 });
  if (!(await isFolder(folder))) await createWorkspace(folder);
  const root = await realpath(folder);
  // The sandbox mounts these folders by path, so they must not have become links.
  const whole = (await isFolder(join(root, '.git'))) && (await isFolder(join(root, '.git/hooks')));
  if (!whole || !(await lstat(join(root, '.git/config'))).isFile())
    throw new AppError('WORKSPACE_DAMAGED', { workspace: name, folder: root });
  // A script may write commondir, and git would follow it to other hooks and configuration.
  await rm(join(root, '.git/commondir'), { recursive: true, force: true });
  return { root, notes };
}

async function createWorkspace(folder: string): Promise<void> {
  const made = `${folder}.${newId('new')}`;
  for (const name of GIT_FOLDERS) await mkdir(join(made, '.git', name), { recursive: true });
  await writeFile(join(made, '.git/HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(made, '.git/config'), GIT_CONFIG);
  try {
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (getSystemCode(error) !== 'ENOTEMPTY' && getSystemCode(error) !== 'EEXIST') throw error; // Another process created the workspace first.
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await allowMissing(lstat(path)))?.isDirectory() ?? false;
}
