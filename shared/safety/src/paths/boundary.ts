import type { AgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { MAX_PATH_LENGTH } from '@signalbox/contracts/operations/workspace';
import { AppError } from '@signalbox/contracts/errors';

/** A parsed path within a workspace: the names of its folders and of its file. */
export type PathParts = readonly string[];

/** The maximum length of a file name on Linux, in bytes. */
const NAME_LIMIT_BYTES = 255;

/** Matches invisible characters and direction marks, with which two names could look the same. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

/**
 * Parses a path without file access. `.` alone is the workspace. Throws PATH_DENIED for paths that could be misread: absolute, `..`, NUL,
 * backslash, invisible or non-NFC characters.
 */
export function parsePath(path: string): PathParts {
  if (path.includes('\0')) denyPath(path, 'it contains a NUL character');
  if (path.length > MAX_PATH_LENGTH) denyPath(path, 'it is too long');
  if (path.startsWith('/')) denyPath(path, 'it is absolute; paths begin in the workspace');
  if (path.startsWith('~')) denyPath(path, 'it begins with a home folder; paths begin in the workspace');
  if (path.includes('\\')) denyPath(path, 'it contains a backslash');
  if (path !== path.normalize('NFC')) denyPath(path, 'its letters are not in their composed form (NFC)');
  if (INVISIBLE.test(path)) denyPath(path, 'it contains characters that cannot be seen');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) denyPath(path, 'it leads out with ..');
  if (parts.some((part) => Buffer.byteLength(part) > NAME_LIMIT_BYTES)) denyPath(path, 'a name in it is too long');
  return parts;
}

/** Throws PATH_DENIED unless the bounds allow reading. */
export function requireReadable(bounds: AgentBounds, parts: PathParts): void {
  if (!bounds.canRead) denyPath(parts.join('/'), 'this kind of agent may not read files');
}

/** Throws PATH_DENIED unless the bounds allow writing the path. The .git folder is never written. */
export function requireWritable(bounds: AgentBounds, parts: PathParts): void {
  const path = parts.join('/');
  if (!bounds.canWrite) denyPath(path, 'this kind of agent may not write files');
  if (parts.length === 0) denyPath('.', 'it is the workspace itself');
  if (parts.some(isRepositoryFolder)) denyPath(path, 'the folder .git belongs to git');
  // Denied folders match in every spelling, because on some file systems SRC is src. Allowed folders match exactly.
  const denied = bounds.deniedPaths.find((one) => isDenied(fold(one), parts.map(fold)));
  if (denied !== undefined)
    denyPath(path, `this kind of agent may not write ${denied.endsWith('/') ? 'below ' : ''}${denied}`);
  if (bounds.writePaths === 'all') return;
  if (!bounds.writePaths.some((folder) => isBelow(folder, parts)))
    denyPath(path, `this kind of agent may write only below ${bounds.writePaths.join(', ')}`);
}

/** Throws PATH_DENIED with a printable form of the path. */
export function denyPath(path: string, why: string): never {
  // The shown path must not contain the refused characters.
  const shown = path.replaceAll(/[^\P{C}]/gu, '\uFFFD').slice(0, 200);
  throw new AppError('PATH_DENIED', { path: shown, why });
}

/** True for `.git` in every spelling that some file system treats as equal. */
function isRepositoryFolder(name: string): boolean {
  const folded = fold(name).replace(/[. ]+$/, '');
  return folded === '.git' || /^git~\d+$/.test(folded) || folded.startsWith('.git:');
}

/** True for a denied file, for a denied folder itself, whose place a file would take, and for what is below. */
function isDenied(path: string, parts: PathParts): boolean {
  return isBelow(path, parts) || parts.join('/') === path.replace(/\/$/, '');
}

function isBelow(folder: string, parts: PathParts): boolean {
  const wanted = folder.split('/').filter((part) => part !== '');
  return wanted.length < parts.length && wanted.every((name, place) => name === parts[place]);
}

function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
