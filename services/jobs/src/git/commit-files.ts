import { ObjectReader } from '@signalbox/analysis/git/object-reader';
import { AppError } from '@signalbox/contracts/errors';
import { formatNameList } from '@signalbox/contracts/nearest-name';
import type { RepositoryEntry, RepositoryFileResult } from '@signalbox/contracts/repository/reading';
import { MIB } from '@signalbox/contracts/size';
import { say } from '@signalbox/messages/say';
import { redactLines, redactText } from '@signalbox/safety/redact/redact';
import type { Git, GitResult } from './git.ts';
import type { FetchedCommit } from './sources.ts';

/** What reading a commit needs: git in its room, and the path where git is found. */
export interface CommitReadDeps {
  readonly git: Git;
  readonly path: string;
}

/** Larger files are not read: nobody reads them in a chat, and redaction needs the whole file. */
export const MAX_FILE_BYTES = MIB;
/** Maximum characters of one answer: about 2,000 tokens. */
export const MAX_CHARACTERS = 6_000;
const MAX_LINE_LENGTH = 1_000;
const MAX_ENTRIES = 200;
const TREE_BYTES = 4 * MIB;
const LINK_BYTES = 1_000;

/**
 * Reads what stands at a path of a commit: the lines of a file from `fromLine` on, or the entries of a folder. Links and submodules are
 * named and never followed. Throws NOT_FOUND with the names beside the missing path.
 */
export async function readCommitPath(
  deps: CommitReadDeps,
  place: FetchedCommit,
  { path, fromLine }: { readonly path: string; readonly fromLine: number },
  signal: AbortSignal,
): Promise<RepositoryFileResult> {
  const { commit } = place;
  const full = joinFolder(place, path);
  const entry = await findEntry(deps, place, full, signal);
  if (entry === null) throw await createPathNotFound(deps, place, path, signal);
  const sizeBytes = entry.sizeBytes ?? 0;
  switch (entry.kind) {
    case 'submodule':
      return { kind: 'submodule', commit };
    case 'folder': {
      const entries = await listEntries(deps, place, entry.id, signal);
      const shown = entries
        .slice(0, MAX_ENTRIES)
        .map(({ name, kind, sizeBytes: size }) => ({ name, kind, sizeBytes: size }));
      return { kind: 'folder', commit, entries: shown, total: entries.length };
    }
    case 'link': {
      const target = await readBlob(deps, place, entry.id, LINK_BYTES, signal);
      return { kind: 'link', commit, target: redactText(target?.toString('utf8') ?? '') };
    }
    case 'file': {
      if (sizeBytes > MAX_FILE_BYTES) return { kind: 'large', commit, sizeBytes };
      const content = await readBlob(deps, place, entry.id, MAX_FILE_BYTES, signal);
      const lines = content && readTextLines(content);
      if (!lines) return { kind: 'binary', commit, sizeBytes };
      return { kind: 'text', commit, sizeBytes, ...cutLines(lines, fromLine) };
    }
  }
}

/** Returns the redacted lines of a text; null for a content that is no text. Pure. */
export function readTextLines(content: Buffer): readonly string[] | null {
  if (content.includes(0)) return null;
  const lines = redactLines(new TextDecoder().decode(content));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Cuts whole lines that fit into one answer. The end of a very long line is replaced by the number of its characters. Pure. */
export function cutLines(lines: readonly string[], fromLine: number) {
  const shown: string[] = [];
  let room = MAX_CHARACTERS;
  for (const line of lines.slice(fromLine - 1)) {
    const rest = line.length - MAX_LINE_LENGTH;
    const text = rest > 0 ? `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}… (+${rest})` : line;
    room -= text.length + 1;
    if (room < 0) break;
    shown.push(text);
  }
  return { totalLines: lines.length, fromLine, toLine: fromLine + shown.length - 1, text: shown.join('\n') };
}

/** Returns the path from the root of the repository; the project may be one of its folders. Pure. */
export function joinFolder({ folder }: Pick<FetchedCommit, 'folder'>, path: string): string {
  return [folder ?? '', path].filter((part) => part !== '').join('/');
}

/** Runs git in a room without network that holds only the mirror. Paths are literal. Throws for another exit code than `codes`. */
export async function readGit(
  { git }: Pick<CommitReadDeps, 'git'>,
  { mirror }: FetchedCommit,
  words: readonly string[],
  options: { readonly signal: AbortSignal; readonly maxBytes: number; readonly codes?: readonly number[] },
): Promise<GitResult> {
  const room = { mirror, local: mirror, isSsh: false, trustDir: null };
  const { signal, maxBytes, codes = [0] } = options;
  const result = await git(['--literal-pathspecs', '-C', mirror, ...words], { signal, maxBytes, room });
  if (result.code !== null && codes.includes(result.code)) return result;
  throw new Error(`git ${words[0] ?? ''} ended with ${result.code ?? 'a signal'}: ${result.stderr}`);
}

/** Throws NOT_FOUND with the names that stand in the deepest existing folder of the path. */
export async function createPathNotFound(
  deps: CommitReadDeps,
  place: FetchedCommit,
  path: string,
  signal: AbortSignal,
): Promise<AppError> {
  const names = path.split('/');
  for (let depth = names.length - 1; depth >= 0; depth -= 1) {
    const folder = names.slice(0, depth).join('/');
    const entry = await findEntry(deps, place, joinFolder(place, folder), signal);
    if (entry?.kind !== 'folder') continue;
    const known = (await listEntries(deps, place, entry.id, signal)).map(({ name }) => name);
    const kind = say('repository.pathIn', { hasFolder: depth > 0, folder, commit: place.commit.slice(0, 7) });
    return new AppError('NOT_FOUND', {
      kind,
      name: names[depth] ?? path,
      known: formatNameList(names[depth] ?? '', known),
    });
  }
  return new AppError('NOT_FOUND', {
    kind: say('repository.folderAt', { repository: place.folder ?? '', commit: place.commit.slice(0, 7) }),
    name: path,
    known: 'none',
  });
}

type Entry = RepositoryEntry & { readonly id: string };

/** Finds the entry at a path from the root of the repository; the root itself is a folder. Null when nothing stands there. */
export async function findEntry(
  deps: CommitReadDeps,
  place: FetchedCommit,
  full: string,
  signal: AbortSignal,
): Promise<Entry | null> {
  if (full === '') return { name: '', kind: 'folder', sizeBytes: null, id: place.commit };
  const words = ['ls-tree', '-z', '-l', '--full-tree', place.commit, '--', full];
  const { stdout } = await readGit(deps, place, words, { signal, maxBytes: TREE_BYTES });
  return parseEntries(stdout).find(({ name }) => name === full) ?? null;
}

async function listEntries(
  deps: CommitReadDeps,
  place: FetchedCommit,
  tree: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const { stdout } = await readGit(deps, place, ['ls-tree', '-z', '-l', tree], { signal, maxBytes: TREE_BYTES });
  return parseEntries(stdout).map(({ name, ...entry }) => ({ ...entry, name: redactText(name).slice(0, 2_000) }));
}

function parseEntries(listing: Buffer): readonly Entry[] {
  return listing
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, mode = '', id = '', size = '', name] =
        /^(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-)\t([^]*)$/.exec(line) ?? [];
      if (name === undefined) return [];
      return [{ name, kind: kindOf(mode), sizeBytes: size === '-' ? null : Number(size), id }];
    });
}

function kindOf(mode: string): RepositoryEntry['kind'] {
  if (mode === '040000') return 'folder';
  if (mode === '120000') return 'link';
  return mode === '160000' ? 'submodule' : 'file';
}

async function readBlob(
  { path }: CommitReadDeps,
  { mirror }: FetchedCommit,
  id: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const reader = new ObjectReader({ dir: mirror, path, signal });
  try {
    return (await reader.read(id, maxBytes))?.content ?? null;
  } finally {
    reader.close();
  }
}
