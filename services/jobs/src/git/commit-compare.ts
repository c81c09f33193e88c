import type { RepositoryCompareResult } from '@signalbox/contracts/repository/reading';
import { cleanName } from '@signalbox/contracts/plain-name';
import { MIB } from '@signalbox/contracts/size';
import { redactText } from '@signalbox/safety/redact/redact';
import { readGit, type CommitReadDeps } from './commit-files.ts';
import type { FetchedCommit } from './sources.ts';

const SHOWN_COMMITS = 30;
const NAMES_BYTES = 16 * MIB;
const SUBJECT_SHOWN = 120;
const AUTHOR_SHOWN = 60;
const FORMAT = '--format=%H%x1f%cI%x1f%an%x1f%s';

/** Compares two commits of one mirror: the commits that only one of them has, and the files that differ. */
export async function compareCommits(
  deps: Pick<CommitReadDeps, 'git'>,
  { before, after }: { readonly before: FetchedCommit; readonly after: FetchedCommit },
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
  const diff = ['diff', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const names = await read([...diff, before.commit, after.commit], NAMES_BYTES);
  return {
    kind: 'compared',
    before: before.commit,
    after: after.commit,
    added: added.commits,
    addedTotal: added.total,
    removed: removed.commits,
    removedTotal: removed.total,
    filesChanged: names.split('\0').filter((name) => name !== '').length,
  };
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
