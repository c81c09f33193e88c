import { MAX_COMPARED_FILES, type RepositoryCompareResult } from '@signalbox/contracts/repository/reading';
import { cleanName } from '@signalbox/contracts/plain-name';
import { MIB } from '@signalbox/contracts/size';
import { redactLines, redactText } from '@signalbox/safety/redact/redact';
import {
  createPathNotFound,
  cutLines,
  findEntry,
  joinFolder,
  MAX_FILE_BYTES,
  readGit,
  type CommitReadDeps,
} from './commit-files.ts';
import type { FetchedCommit } from './sources.ts';

const SHOWN_COMMITS = 30;
const NAMES_BYTES = 16 * MIB;
const SUBJECT_SHOWN = 120;
const AUTHOR_SHOWN = 60;
const PATH_SHOWN = 300;
const DIFF = ['diff', '--no-renames', '--no-ext-diff', '--no-textconv'];
const FORMAT = '--format=%H%x1f%cI%x1f%an%x1f%s';

interface Compared {
  readonly before: FetchedCommit;
  readonly after: FetchedCommit;
  /** The file or folder whose lines are compared; null for none. */
  readonly path?: string | null;
}

/** Compares two commits of one mirror: the commits that only one of them has, the files that differ, and the lines of one path. */
export async function compareCommits(
  deps: CommitReadDeps,
  { before, after, path = null }: Compared,
  signal: AbortSignal,
): Promise<RepositoryCompareResult> {
  const within = after.folder === null ? [] : ['--', after.folder];
  const read = async (words: readonly string[], maxBytes = MIB): Promise<string> =>
    (await readGit(deps, after, [...words, ...within], { signal, maxBytes })).stdout.toString('utf8');
  const list = async (from: string, to: string) => {
    const range = `${from}..${to}`;
    const log = ['log', '-z', '--no-mailmap', '--encoding=UTF-8', `--max-count=${SHOWN_COMMITS}`, FORMAT, range];
    return { commits: parseLog(await read(log)), total: Number(await read(['rev-list', '--count', range])) };
  };
  const [added, removed] = [await list(before.commit, after.commit), await list(after.commit, before.commit)];
  const files = parseFiles(await read([...DIFF, '-z', '--numstat', before.commit, after.commit], NAMES_BYTES));
  return {
    kind: 'compared',
    before: before.commit,
    after: after.commit,
    added: added.commits,
    addedTotal: added.total,
    removed: removed.commits,
    removedTotal: removed.total,
    filesChanged: files.length,
    files: files
      .toSorted((one, other) => countLines(other) - countLines(one) || (one.path < other.path ? -1 : 1))
      .slice(0, MAX_COMPARED_FILES)
      .map((file) => ({ ...file, path: shorten(relativeTo(after.folder, file.path), PATH_SHOWN) })),
    diff: path === null ? null : await readDiff(deps, { before, after, path }, signal),
  };
}

type ChangedFile = Extract<RepositoryCompareResult, { kind: 'compared' }>['files'][number];

function parseFiles(listing: string): readonly ChangedFile[] {
  return listing
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [added = '', removed = '', ...path] = entry.split('\t');
      const toCount = (count: string): number | null => (/^\d+$/.test(count) ? Number(count) : null);
      return { path: path.join('\t'), added: toCount(added), removed: toCount(removed) };
    });
}

function countLines({ added, removed }: ChangedFile): number {
  return (added ?? 0) + (removed ?? 0);
}

function relativeTo(folder: string | null, path: string): string {
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** Reads the lines of a path that differ. Throws NOT_FOUND when neither commit has the path. */
async function readDiff(
  deps: CommitReadDeps,
  { before, after, path }: Required<Compared> & { readonly path: string },
  signal: AbortSignal,
) {
  const places = [after, before];
  const found = await Promise.all(places.map((place) => findEntry(deps, place, joinFolder(place, path), signal)));
  if (found.every((entry) => entry === null)) throw await createPathNotFound(deps, after, path, signal);
  const words = [...DIFF, '--no-color', '--unified=3', before.commit, after.commit, '--', joinFolder(after, path)];
  const { stdout } = await readGit(deps, after, words, { signal, maxBytes: MAX_FILE_BYTES });
  // Secrets are found in the whole text, so they are removed before it is cut.
  const lines = redactLines(new TextDecoder().decode(stdout));
  const { text, totalLines } = cutLines(lines.at(-1) === '' ? lines.slice(0, -1) : lines, 1);
  return { text, totalLines };
}

function parseLog(log: string): { commit: string; at: string; subject: string; author: string }[] {
  return log
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [commit = '', at = '', author = '', ...subject] = entry.split('\u001f');
      const date = new Date(at);
      return {
        commit,
        at: Number.isNaN(date.getTime()) ? '' : date.toISOString(),
        subject: shorten(subject.join(' '), SUBJECT_SHOWN),
        author: shorten(author, AUTHOR_SHOWN),
      };
    });
}

function shorten(text: string, length: number): string {
  const line = redactText(cleanName(text));
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed()}…`;
}
