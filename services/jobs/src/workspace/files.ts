import { randomBytes } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import type { AgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { AppError } from '@signalbox/contracts/errors';
import { getSystemCode } from '@signalbox/contracts/system-error';
import { parsePath, requireReadable, requireWritable } from '@signalbox/safety/paths/boundary';
import { takeWholeLines } from '@signalbox/contracts/whole-lines';
import { say } from '@signalbox/messages/say';
import { putFile, readFileMode, withFile, withFolder, type Folder } from './folder.ts';
import { findMeantPath } from './sent-files.ts';

export interface ReadScope {
  /** Absolute path of the workspace, without links. */
  readonly root: string;
  readonly bounds: AgentBounds;
}

/** A workspace in which files may be changed. */
export interface WriteScope extends ReadScope {
  /** Throws WORKSPACE_FULL when this many more bytes do not fit. */
  fits(moreBytes: number): Promise<void>;
}

export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly sizeBytes: number | null;
}

const MAX_READ_BYTES = 5_000_000;
const MAX_TEXT_LENGTH = 100_000;
const MAX_ENTRIES = 500;
const NEW_FILE_MODE = 0o644;

/**
 * Reads lines of a text file, counted from 1: as many whole lines as fit. A file that a person sent is found by its name, and the last one
 * by the name of their folder. Throws PATH_DENIED, NOT_FOUND, and PATH_UNSUITABLE for a binary file.
 */
export async function readLines(
  scope: ReadScope,
  path: string,
  range: { readonly fromLine: number; readonly lines: number },
): Promise<{ path: string; text: string; fromLine: number; totalLines: number; sizeBytes: number }> {
  const { text, shown } = await readText(scope, await findMeantPath(scope.root, path));
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const wanted = lines.slice(range.fromLine - 1, range.fromLine - 1 + range.lines).join('\n');
  return {
    path: shown,
    text: takeWholeLines(wanted, MAX_TEXT_LENGTH),
    fromLine: range.fromLine,
    totalLines: lines.length,
    sizeBytes: Buffer.byteLength(text),
  };
}

/** Reads a text file. Throws PATH_DENIED, NOT_FOUND, and PATH_UNSUITABLE for a binary file. */
export async function readText(
  scope: ReadScope,
  path: string,
): Promise<{ readonly text: string; readonly shown: string }> {
  const parts = parsePath(path);
  requireReadable(scope.bounds, parts);
  const shown = parts.join('/');
  const bytes = await withFile(scope.root, parts, async (file) => {
    const { size } = await file.stat();
    if (size > MAX_READ_BYTES)
      throw new AppError('PATH_UNSUITABLE', {
        path: shown,
        problem: `has ${size} bytes; I read up to ${MAX_READ_BYTES}`,
      });
    return file.readFile();
  });
  // The bytes of some PDFs look like text, but people cannot read them.
  const text = isPdf(bytes) ? null : decodeText(bytes);
  if (text === null) throw new AppError('PATH_UNSUITABLE', { path: shown, problem: describeContent(bytes) });
  return { text, shown };
}

/** Lists a folder, `depth` levels deep, without the .git folder and without following links. */
export async function listEntries(
  scope: ReadScope,
  path: string,
  depth: number,
): Promise<{ path: string; entries: Entry[]; cut: boolean }> {
  const parts = parsePath(path);
  requireReadable(scope.bounds, parts);
  const entries: Entry[] = [];
  const visit = async (below: readonly string[], level: number): Promise<void> => {
    const folders = await withFolder(scope.root, below, { create: false }, (folder) => collect(folder, below, entries));
    if (level >= depth) return;
    for (const name of folders) if (entries.length < MAX_ENTRIES) await visit([...below, name], level + 1);
  };
  await visit(parts, 1);
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { path: parts.join('/') || '.', entries: entries.slice(0, MAX_ENTRIES), cut: entries.length >= MAX_ENTRIES };
}

/** Writes a file atomically. Throws PATH_DENIED, PATH_UNSUITABLE or WORKSPACE_FULL with nothing written. Idempotent. */
export async function writeText(
  scope: WriteScope,
  path: string,
  content: string,
): Promise<{ path: string; sizeBytes: number; created: boolean }> {
  const parts = parsePath(path);
  requireWritable(scope.bounds, parts);
  const name = parts.at(-1) as string; // requireWritable refuses the workspace itself, so there is a name.
  const shown = parts.join('/');
  return withFolder(scope.root, parts.slice(0, -1), { create: true }, async (folder) => {
    const mode = await readFileMode(folder, name, shown);
    const before = mode === null ? 0 : (await lstat(folder.at(name))).size;
    await scope.fits(Buffer.byteLength(content) - before);
    const temporary = `.signalbox-${randomBytes(6).toString('hex')}`;
    await putFile(folder, name, content, { mode: mode ?? NEW_FILE_MODE, temporary }).catch((error: unknown) => {
      if (getSystemCode(error) !== 'ENOENT') throw error;
      throw new AppError(
        'PATH_UNSUITABLE',
        { path: name, problem: 'was not written: its folder was deleted meanwhile' },
        error,
      );
    });
    return { path: shown, sizeBytes: Buffer.byteLength(content), created: mode === null };
  });
}

/** Says what a file without text is, and what to do about it. */
function describeContent(bytes: Uint8Array): string {
  if (isPdf(bytes)) return say('workspace.isPdf');
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return PICTURES.some((form) => form.test(head)) ? say('workspace.isPicture') : 'is not text';
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-';
}

/** Matches the first bytes of JPEG, PNG, GIF and WebP. */
const PICTURES = [/^\xff\xd8\xff/, /^\x89PNG/, /^GIF8/, /^RIFF.{4}WEBP/s];

function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function collect(folder: Folder, below: readonly string[], entries: Entry[]): Promise<readonly string[]> {
  const folders: string[] = [];
  const found = await readdir(folder.at('.'), { withFileTypes: true });
  for (const entry of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entries.length >= MAX_ENTRIES) break;
    if (below.length === 0 && entry.name === '.git') continue;
    const path = [...below, entry.name].join('/');
    if (entry.isDirectory()) {
      folders.push(entry.name);
      entries.push({ path, kind: 'folder', sizeBytes: null });
    } else if (entry.isFile()) {
      const size = await lstat(folder.at(entry.name)).then(
        (stats) => stats.size,
        () => null, // The file was deleted meanwhile.
      );
      entries.push({ path, kind: 'file', sizeBytes: size });
    } else entries.push({ path, kind: entry.isSymbolicLink() ? 'link' : 'other', sizeBytes: null });
  }
  return folders;
}
