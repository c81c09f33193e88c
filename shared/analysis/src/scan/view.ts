import { AppError } from '@signalbox/contracts/errors';
import { ObjectReader } from '../git/object-reader.ts';
import type { Mirror } from '../git/start-git.ts';
import type { AdvisorySource } from '../advisory-source.ts';
import { MAX_TEXT_BYTES, type RepositoryReader } from '../analyzer.ts';
import { addChanges, computeChurn, readChanges, type ChurnHistory } from '../git/churn.ts';
import { streamGitPieces } from '../git/git-reader.ts';
import { isFastForward, listRefs, type Refs } from '../git/past-blobs.ts';
import { listTree, type Tree } from '../git/tree.ts';
import { decodeText } from './decode-text.ts';

export interface ScannedCommit {
  readonly commit: string;
  /** The folder to which the scan is limited; null for the whole repository. */
  readonly folder: string | null;
  /** Source of advisories for the packages of the commit. Default: none. */
  readonly advisories?: AdvisorySource | null;
}

/** An open commit: `view` is for analyzers, the other members are for the scan itself. */
export interface OpenedRepository {
  readonly view: RepositoryReader;
  readonly tree: Tree;
  /** Returns the bytes of a content; empty when the mirror lacks it. */
  readonly bytesOf: (blob: string) => Promise<Buffer>;
  readonly refs: () => Promise<Refs>;
  /** Returns the notes on the history; null when no analyzer asked for churn. */
  readonly churnNotes: () => ChurnHistory | null;
  close(): void;
}

/** Opens a commit through git objects. There is no checkout, so links lead nowhere and no git hook runs. */
export async function openRepository(
  mirror: Mirror,
  { commit, folder, advisories = null }: ScannedCommit,
  known: () => ChurnHistory | null,
): Promise<OpenedRepository> {
  const showsDate = ['show', '--no-patch', '--no-show-signature', '--format=%ct', commit];
  const [tree, date] = await Promise.all([listTree(mirror, commit, folder), first(mirror, showsDate)]);
  const committedAt = Number(date);
  const reader = new ObjectReader(mirror);
  const bytesOf = async (blob: string): Promise<Buffer> => (await reader.read(blob))?.content ?? Buffer.alloc(0);
  const links: { path: string; target: string }[] = [];
  for (const { path, blob } of tree.links)
    links.push({ path, target: (await reader.read(blob))?.content.toString('utf8') ?? '' });
  const files = new Map(tree.files.map((file) => [file.path, file]));
  let notes: Promise<ChurnHistory> | null = null;
  let ready: ChurnHistory | null = null;
  const churnNotes = (): Promise<ChurnHistory> =>
    (notes ??= readNotes(mirror, commit, committedAt, known()).then((read) => (ready = read)));
  let listed: Promise<Refs> | null = null;
  const refs = (): Promise<Refs> => (listed ??= listRefs(mirror));
  const inRepository = (path: string): string => (folder === null ? path : `${folder}/${path}`);
  const view: RepositoryReader = {
    commit,
    committedAt,
    files: tree.files,
    links,
    submodules: tree.submodules,
    advisories,
    text: async (path) => {
      const file = files.get(path);
      if (!file) throw new AppError('PATH_DENIED', { path: path.slice(0, 200), why: 'the commit has no such file' });
      const text = file.sizeBytes > MAX_TEXT_BYTES ? null : decodeText(await bytesOf(file.blob));
      return typeof text === 'string' ? text : null;
    },
    churn: async () => {
      const churn = computeChurn(await churnNotes(), [...files.keys()].map(inRepository));
      const below = folder === null ? 0 : folder.length + 1;
      return new Map([...churn].map(([path, one]) => [path.slice(below), one]));
    },
    history: async () => {
      const [{ commits, authors, firstAt }, { branches, tags }] = await Promise.all([churnNotes(), refs()]);
      return { commits, authors: authors.length, firstAt, branches, tags };
    },
  };
  return { view, tree, bytesOf, refs, churnNotes: () => ready, close: () => reader.close() };
}

async function readNotes(
  mirror: Mirror,
  commit: string,
  committedAt: number,
  known: ChurnHistory | null,
): Promise<ChurnHistory> {
  if (known?.commit === commit) return known;
  // When a branch was rewritten, its history is read again.
  const base = known !== null && (await isFastForward(mirror, [known.commit], [commit])) ? known : null;
  return addChanges(base, commit, committedAt, readChanges(mirror, commit, base?.commit ?? null));
}

async function first(mirror: Mirror, words: readonly string[]): Promise<string> {
  for await (const line of streamGitPieces(mirror, words, { cutAt: '\n' })) return line;
  return '';
}
