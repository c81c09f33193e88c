import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@signalbox/contracts/errors';
import { tryOr } from '@signalbox/contracts/system-error';
import { RepositoryFolder, splitFolderAddress } from '@signalbox/contracts/repository-folder';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';

/** A readable repository: the address for git, its only protocol, and the address without a password to show. */
export interface RepositoryAddress {
  readonly url: string;
  readonly protocol: 'https' | 'ssh' | 'file';
  readonly shown: string;
  readonly folder: string | null;
}

/** Folders in the data folder of `npm start` that hold no repositories. */
const OF_DATA_FOLDER = ['keys', 'audit', 'logs', 'simulator', 'postgres', 'redis', 'workspaces', 'targets', 'deploys'];

/**
 * Parses a repository's address: https, ssh (also `git@host:path`), or a local folder below one of `folders`, with links resolved.
 * `./shop` is the first of their folders with this name. A suffix `#:apps/web` names a folder inside. Throws REPOSITORY_REFUSED for
 * other addresses, for folders in or around `closed` folders, and for Signalbox's own folders.
 */
export function parseRepository(
  written: string,
  folders: readonly string[],
  closed: readonly string[],
): RepositoryAddress {
  const { repository: address, folder } = splitFolderAddress(written);
  const shown = address.replace(/\/\/[^/@]*@/, '//').slice(0, 200);
  const refuse = (detail: string): AppError => new AppError('REPOSITORY_REFUSED', { repository: shown, detail });
  // eslint-disable-next-line no-control-regex -- the pattern rejects control characters
  if (address.startsWith('-') || /[\s\u0000-\u001f]/.test(address)) throw refuse(say('repository.noAddress'));
  if (folder !== null && RepositoryFolder.safeParse(folder).data !== folder)
    throw refuse(say('repository.noFolderPath', { folder }));
  // A password in an address would appear in every list, so it must be given as a secret.
  if (/^https?:\/\/[^/]*@/.test(address)) throw refuse(say('repository.passwordInside'));
  // Git may parse an address differently; the normalized form leads both to the same host.
  if (/^https:\/\/[^/]+\/./.test(address) && URL.canParse(address))
    return { url: new URL(address).href, protocol: 'https', shown, folder };
  if (/^ssh:\/\/(?:[^/@-][^/@]*@)?[^/@-][^/@]*\/./.test(address))
    return { url: address, protocol: 'ssh', shown, folder };
  if (/^[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*:[^:]/.test(address))
    return { url: address, protocol: 'ssh', shown, folder };
  const path = toPath(address, folders);
  if (path === null || !path.startsWith('/')) throw refuse(say('repository.otherAddress'));
  const real = realOf(path);
  if (real === null) throw refuse(say('repository.noFolder'));
  const root = folders.map(realOf).find((folder) => folder !== null && real.startsWith(`${folder}${sep}`));
  if (!root) throw refuse(say('repository.outside', { folders: sayList(folders) }));
  const ours = [...closed, ...(existsSync(join(root, 'keys')) ? OF_DATA_FOLDER.map((name) => join(root, name)) : [])];
  // The folder that contains all repositories is not a repository.
  const places = ours.map(realOf).filter((place) => place !== null && !isIn(root, place));
  if (places.some((place) => isIn(real, place) || isIn(place, real))) throw refuse(say('repository.ours'));
  return { url: real, protocol: 'file', shown, folder };
}

function toPath(address: string, folders: readonly string[]): string | null {
  if (address.startsWith('file://')) return tryOr(() => fileURLToPath(address), null);
  if (!address.startsWith('./')) return address;
  const places = folders.map((folder) => join(folder, address));
  return places.find((place) => existsSync(place)) ?? places[0] ?? null;
}

function isIn(path: string | null, folder: string | null): boolean {
  return path !== null && folder !== null && (path === folder || path.startsWith(`${folder}${sep}`));
}

const realOf = (path: string): string | null => tryOr(() => realpathSync(path), null);
