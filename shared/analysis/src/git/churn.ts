import { createHash } from 'node:crypto';
import type { FileChurn } from '../analyzer.ts';
import type { Mirror } from './start-git.ts';
import { streamGitPieces } from './git-reader.ts';

const YEAR_SECONDS = 365 * 86_400;
/** Matches the header of a commit in the output of git log, which begins with a control character. */
const BEGIN = /^\n?\u0001(\d+) ([^]*)$/; // oxlint-disable-line no-control-regex -- the mark

/** A commit other than a merge: its time, its hashed author, and the number of changed lines by path. */
export interface ChangeSet {
  readonly at: number;
  readonly author: string;
  readonly changes: readonly (readonly [path: string, lines: number])[];
}

/** Reads the commits that are reachable from `commit` but not from `known`, without merges. */
export async function* readChanges(mirror: Mirror, commit: string, known: string | null): AsyncGenerator<ChangeSet> {
  const range = known === null ? [commit] : [commit, `^${known}`];
  const flags = ['-z', '--no-merges', '--no-renames', '--numstat', '--no-show-signature', '--format=%x01%at %ae'];
  let at = 0;
  let author: string | null = null;
  let changes: (readonly [string, number])[] = [];
  for await (const piece of streamGitPieces(mirror, ['log', ...flags, ...range, '--'])) {
    const begin = BEGIN.exec(piece);
    if (begin) {
      if (author !== null) yield { at, author, changes };
      at = Number(begin[1]);
      author = createHash('sha256')
        .update((begin[2] ?? '').trim().toLowerCase())
        .digest('hex')
        .slice(0, 16);
      changes = [];
    }
    const [, added = '', removed = '', path] = /^\n?(\d+|-)\t(\d+|-)\t([^]+)$/.exec(piece) ?? [];
    if (path !== undefined) changes.push([path, (Number(added) || 0) + (Number(removed) || 0)]);
  }
  if (author !== null) yield { at, author, changes };
}

/** Figures of the history up to a commit, stored so that the next scan reads only newer commits. */
export interface ChurnHistory {
  readonly commit: string;
  readonly commits: number;
  readonly firstAt: number;
  readonly authors: readonly string[];
  /** By path: number of commits, authors, and times of the first and last commit. */
  readonly files: Readonly<
    Record<string, readonly [commits: number, authors: readonly string[], firstAt: number, lastAt: number]>
  >;
  /** Change sets of the last year before the commit, in any order. */
  readonly recent: readonly ChangeSet[];
}

/** Adds change sets, in any order, to the notes. */
export async function addChanges(
  before: ChurnHistory | null,
  commit: string,
  committedAt: number,
  sets: AsyncIterable<ChangeSet>,
): Promise<ChurnHistory> {
  let commits = before?.commits ?? 0;
  let firstAt = before?.firstAt ?? committedAt;
  const authors = new Set(before?.authors);
  const files = new Map(
    Object.entries(before?.files ?? {}).map(([path, [count, who, first, last]]) => [
      path,
      { count, who: new Set(who), first, last },
    ]),
  );
  const recent = [...(before?.recent ?? [])];
  for await (const set of sets) {
    commits += 1;
    firstAt = Math.min(firstAt, set.at);
    authors.add(set.author);
    for (const [path] of set.changes) {
      const one = files.get(path) ?? { count: 0, who: new Set<string>(), first: set.at, last: set.at };
      files.set(path, one);
      one.count += 1;
      one.who.add(set.author);
      one.first = Math.min(one.first, set.at);
      one.last = Math.max(one.last, set.at);
    }
    if (isRecent(set, committedAt)) recent.push(set);
  }
  return {
    commit,
    commits,
    firstAt,
    authors: [...authors].sort(),
    files: Object.fromEntries(
      [...files].map(([path, { count, who, first, last }]) => [path, [count, [...who].sort(), first, last] as const]),
    ),
    recent: recent.filter((set) => isRecent(set, committedAt)),
  };
}

/** Computes the churn of the given files from the notes. */
export function computeChurn(notes: ChurnHistory, paths: readonly string[]): ReadonlyMap<string, FileChurn> {
  const ofYear = new Map<string, { commits: number; lines: number }>();
  for (const { changes } of notes.recent)
    for (const [path, lines] of changes) {
      const one = ofYear.get(path) ?? { commits: 0, lines: 0 };
      ofYear.set(path, one);
      one.commits += 1;
      one.lines += lines;
    }
  const churn = new Map<string, FileChurn>();
  for (const path of paths) {
    const [commits, authors, firstAt, lastAt] = Object.hasOwn(notes.files, path) ? (notes.files[path] ?? []) : [];
    if (commits === undefined || firstAt === undefined || lastAt === undefined) continue;
    const { commits: commitsOfYear = 0, lines: linesOfYear = 0 } = ofYear.get(path) ?? {};
    churn.set(path, { commitsOfYear, commits, linesOfYear, authors: authors?.length ?? 0, firstAt, lastAt });
  }
  return churn;
}

function isRecent({ at }: ChangeSet, committedAt: number): boolean {
  return at > committedAt - YEAR_SECONDS;
}
