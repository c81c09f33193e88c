import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@signalbox/contracts/errors';
import type { CliConfig } from '../config.ts';
import { makeRecord, type BackupRecord, type RecordHead } from './records.ts';

/** A file or folder outside of Postgres that belongs to an installation. */
export interface BackupPlace {
  readonly name: string;
  readonly path: string;
  /** Why somebody wants it back, for the list of what a backup lacks. */
  readonly holds: string;
}

/** Lists the places of this installation, where its variables or the data folder of `npm start` say they are. */
export function listPlaces(config: CliConfig): readonly BackupPlace[] {
  const at = (path: string): string => resolve(config.SIGNALBOX_DATA_DIR, path);
  const auditKey = config.auditPublicKeyFile.replace(/\.pub$/, '');
  return [
    {
      name: 'secrets-key',
      path: config.SECRETS_KEY_FILE ?? at('keys/secrets/secrets.key'),
      holds: 'the key of secrets',
    },
    { name: 'audit-key', path: auditKey, holds: 'the key that signs the audit' },
    { name: 'audit-public-key', path: config.auditPublicKeyFile, holds: 'the key that verifies the audit' },
    { name: 'audit', path: config.auditDir, holds: 'the checkpoints of the audit' },
    {
      name: 'sources',
      path: config.INGRESS_SOURCES_FILE ?? at('sources.json'),
      holds: 'programs and sources of alarms',
    },
    { name: 'targets', path: config.TARGETS_DIR ?? at('targets'), holds: 'deployed programs and their data' },
    { name: 'routes', path: config.PROXY_DIR ?? at('proxy'), holds: 'the routes of the proxy' },
    { name: 'workspaces', path: config.WORKSPACE_DIR ?? at('workspaces'), holds: 'files of people' },
    { name: 'repositories', path: at('repositories'), holds: 'the demo repository' },
  ];
}

/** Reads the files of all places. Files that vanish meanwhile, and what is neither file, folder nor link, are left out. */
export async function* readPlaces(
  places: readonly BackupPlace[],
  report: (place: BackupPlace, isThere: boolean) => void,
): AsyncGenerator<BackupRecord> {
  for (const place of places) {
    const isThere = (await find(place.path)) !== null;
    report(place, isThere);
    if (isThere) yield* readTree(place, '.');
  }
}

async function* readTree(place: BackupPlace, path: string): AsyncGenerator<BackupRecord> {
  const at = join(place.path, path);
  const found = await find(at);
  if (found === null) return;
  const about = { place: place.name, path };
  const mode = found.mode & 0o7777;
  if (found.isSymbolicLink()) yield makeRecord({ kind: 'link', ...about, to: await readlink(at) });
  else if (found.isFile()) {
    const file = await unlessAway(open(at));
    if (file !== null) yield { head: { kind: 'file', ...about, mode }, body: file.createReadStream() };
  } else if (found.isDirectory()) {
    yield makeRecord({ kind: 'folder', ...about, mode });
    for (const name of ((await unlessAway(readdir(at))) ?? []).toSorted())
      yield* readTree(place, path === '.' ? name : `${path}/${name}`);
  }
}

/** Throws RESTORE_STOPPED, which says what is in the way, unless every place is free for a restore. */
export async function requireFree(places: readonly BackupPlace[]): Promise<void> {
  for (const { path } of places) {
    const found = await find(path);
    const isFree = found === null || (found.isDirectory() && (await readdir(path)).length === 0);
    if (!isFree)
      throw new AppError('RESTORE_STOPPED', { detail: `${path} is there already, and a restore replaces no files` });
  }
}

/** Makes places free again. A folder stays, because it may be a volume, or have an owner. */
export async function clearPlaces(places: readonly BackupPlace[]): Promise<void> {
  for (const { path } of places) {
    const isFolder = (await find(path))?.isDirectory() ?? false;
    const filled = isFolder ? (await readdir(path)).map((name) => join(path, name)) : [path];
    for (const one of filled) await rm(one, { recursive: true, force: true });
  }
}

/** Writes one part into its place. A part of a place that is unknown here, or that would lie outside of it, is refused. */
export async function writePart(
  places: readonly BackupPlace[],
  head: Extract<RecordHead, { readonly path: string }>,
  body: AsyncIterable<Buffer>,
): Promise<void> {
  const root = places.find(({ name }) => name === head.place)?.path;
  const at = resolve(root ?? '', head.path);
  if (root === undefined || (at !== resolve(root) && !at.startsWith(`${resolve(root)}${sep}`)))
    throw new AppError('BACKUP_UNREADABLE', {
      detail: `it holds a file for ${head.place}/${head.path}, which has no place here`,
    });
  if (head.kind === 'folder') {
    await mkdir(at, { recursive: true, mode: head.mode });
    return;
  }
  await mkdir(dirname(at), { recursive: true, mode: 0o700 });
  if (head.kind === 'link') await symlink(head.to, at);
  else await pipeline(Readable.from(body), createWriteStream(at, { mode: head.mode, flags: 'wx' }));
}

const find = (path: string) => unlessAway(lstat(path));

/** Null when the file or folder is not there. */
async function unlessAway<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
}
