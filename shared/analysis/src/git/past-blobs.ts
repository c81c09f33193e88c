import type { Mirror } from './start-git.ts';
import { streamGitPieces } from './git-reader.ts';

/** The commit that first had a content at a path. */
export interface BlobIntroduction {
  readonly blob: string;
  readonly path: string;
  readonly commit: string;
  /** Commit time, in seconds since the epoch. */
  readonly at: number;
}

export interface Refs {
  /** Ids of the commits to which all refs point, sorted and unique. */
  readonly tips: readonly string[];
  readonly branches: number;
  readonly tags: number;
}

export async function listRefs(mirror: Mirror): Promise<Refs> {
  const tips = new Set<string>();
  let [branches, tags] = [0, 0];
  // An annotated tag is resolved to its object.
  const format = '%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(refname)';
  for await (const line of streamGitPieces(mirror, ['for-each-ref', `--format=${format}`], { cutAt: '\n' })) {
    const [tip = '', name = ''] = line.split(' ');
    if (tip !== '') tips.add(tip);
    if (name.startsWith('refs/heads/')) branches += 1;
    if (name.startsWith('refs/tags/')) tags += 1;
  }
  return { tips: [...tips].sort(), branches, tags };
}

/** True when every commit reachable from `before` is reachable from `tips`, so that only newer commits have to be read. */
export async function isFastForward(
  mirror: Mirror,
  before: readonly string[],
  tips: readonly string[],
): Promise<boolean> {
  const words = ['rev-list', '--max-count=1', '--stdin'];
  try {
    for await (const commit of streamGitPieces(mirror, words, { input: rangeOf(before, tips), cutAt: '\n' }))
      if (commit !== '') return false;
    return true;
  } catch {
    mirror.signal.throwIfAborted();
    return false; // The mirror no longer has one of the commits.
  }
}

/** Lists the contents that commits reachable from `tips` and not from `before` introduced. A merge introduces what no parent had. */
export async function* listIntroductions(
  mirror: Mirror,
  tips: readonly string[],
  before: readonly string[],
): AsyncGenerator<BlobIntroduction> {
  const format = '--format=%x01%ct %H';
  const words = ['log', '-z', '--raw', '--no-abbrev', '--no-renames', '-c', '--no-show-signature', format, '--stdin'];
  let [at, commit, blob] = [0, '', ''];
  for await (const piece of streamGitPieces(mirror, words, { input: rangeOf(tips, before) })) {
    const begin = /^\n?\u0001(\d+) ([0-9a-f]+)$/.exec(piece); // oxlint-disable-line no-control-regex -- the mark of a commit
    const change = /^\n?:+(?:\d{6} )+(?:[0-9a-f]+ )*?([0-9a-f]{40,64}) [A-Z]+$/.exec(piece);
    if (begin) [at, commit] = [Number(begin[1]), begin[2] ?? ''];
    else if (change) blob = isOrdinary(piece) ? (change[1] ?? '') : '';
    else if (blob !== '' && piece !== '') {
      yield { blob, path: piece, commit, at };
      blob = '';
    }
  }
}

/** Reads the sizes of contents in bytes. Contents that the mirror lacks are left out. */
export async function* readBlobSizes(
  mirror: Mirror,
  blobs: Iterable<string>,
): AsyncGenerator<readonly [string, number]> {
  const words = ['cat-file', '--batch-check=%(objectname) %(objectsize)'];
  for await (const line of streamGitPieces(mirror, words, { input: `${[...blobs].join('\n')}\n`, cutAt: '\n' })) {
    const [, blob, size] = /^([0-9a-f]{40,64}) (\d+)$/.exec(line) ?? [];
    if (blob !== undefined) yield [blob, Number(size)];
  }
}

/** True when the file is a regular file after the change: its new mode is 100644 or 100755. */
function isOrdinary(change: string): boolean {
  const modes = /^\n?:+((?:\d{6} )+)/.exec(change)?.[1]?.trim().split(' ') ?? [];
  return modes.at(-1)?.startsWith('100') ?? false;
}

function rangeOf(tips: readonly string[], without: readonly string[]): string {
  return [...tips, ...without.map((tip) => `^${tip}`), ''].join('\n');
}
