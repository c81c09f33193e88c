import {
  isDocumentation,
  isExample,
  isGenerated,
  isTest,
  isVendored,
} from '@signalbox/analysis/analyzers/kinds-of-files';
import type { RepositoryFile } from '@signalbox/analysis/analyzer';
import { ObjectReader } from '@signalbox/analysis/git/object-reader';
import { listTree } from '@signalbox/analysis/git/tree';
import type { JobPayload } from '@signalbox/contracts/operations/jobs';
import type { CodeCounts, LEFT_OUT, NeededCommit } from '@signalbox/contracts/repository/code-index';
import { say } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';
import { getTextForm, splitFile } from './code-passages.ts';
import type { CodePath, CodeStore, TextKey } from './code-store.ts';

type LeftOut = (typeof LEFT_OUT)[number];

/** Larger files are data: what people write by hand is smaller. */
const MAX_FILE_BYTES = 256 * 1_024;
/** Bounds of one commit: about 60,000 passages, which a search ranks within its 200 ms. */
const MAX_FILES = 20_000;
const MAX_COMMIT_BYTES = 64 * 1_024 * 1_024;
const MAX_NAMED = 5;
const BATCH_TEXTS = 40;
const BATCH_BYTES = 1_024 * 1_024;
const KNOWN_AT_ONCE = 2_000;

export interface CodeIndexDeps {
  readonly store: CodeStore;
  /** The search path for git. */
  readonly path: string;
}

/** Makes exactly these commits of a project searchable. Each text is read once, so a killed run goes on where it was. */
export function createCodeIndexHandler(deps: CodeIndexDeps): HandlerOf<'knowledge.code'> {
  return {
    title: () => say('jobs.indexingCode'),
    run: async ({ codeOf, mirror, folder, commits }, context) => {
      const stored = new Map((await deps.store.commits(codeOf)).map((one) => [one.commit, one.counts]));
      let added = 0;
      const results = [];
      for (const needed of mirror === null ? [] : commits) {
        const counts = stored.get(needed.commit);
        const place = { codeOf, mirror: mirror ?? '', folder, needed };
        const indexed = counts ? { counts, added: 0 } : await indexCommit(deps, place, context);
        added += indexed.added;
        results.push({ commit: needed.commit, ...indexed.counts });
      }
      const removed = await deps.store.retain(codeOf, mirror === null ? [] : commits);
      return { codeOf, commits: results, added, removed };
    },
    say: ({ codeOf, commits }) =>
      say('jobs.codeIndexed', {
        project: codeOf,
        commits: commits.length,
        files: commits.reduce((sum, { indexed }) => sum + indexed, 0),
        left: commits.flatMap(({ left }) => Object.values(left)).reduce((sum, { count }) => sum + count, 0),
      }),
  };
}

interface CommitPlace extends Pick<JobPayload<'knowledge.code'>, 'codeOf' | 'folder'> {
  readonly mirror: string;
  readonly needed: NeededCommit;
}

async function indexCommit(
  { store, path }: CodeIndexDeps,
  { codeOf, mirror, folder, needed }: CommitPlace,
  { signal, progress }: JobContext,
): Promise<{ readonly counts: CodeCounts; readonly added: number }> {
  const tree = await listTree({ dir: mirror, path, signal }, needed.commit, folder);
  const left = new Leftovers();
  const chosen = chooseFiles(tree.files, left);
  const reader = new ObjectReader({ dir: mirror, path, signal });
  const dropped = new Set<string>();
  let added = 0;
  try {
    let batch: Parameters<CodeStore['add']>[0][number][] = [];
    let bytes = 0;
    const flush = async (done: number): Promise<void> => {
      signal.throwIfAborted();
      if (batch.length > 0) added += await store.add(batch);
      [batch, bytes] = [[], 0];
      await progress(done, chosen.length);
    };
    const known = await findKnown(store, chosen);
    // Every process adds texts in the order of their blobs, so that two cannot deadlock.
    for (const [place, file] of chosen.entries()) {
      const id = keyOf(file);
      if (known.has(id)) continue;
      known.add(id);
      const content = (await reader.read(file.blob, MAX_FILE_BYTES))?.content;
      const reason = content === undefined ? 'binary' : findReason(file.path, content);
      if (reason !== null || content === undefined) {
        left.note(reason ?? 'binary', file.path);
        dropped.add(id);
        continue;
      }
      batch.push({ ...file, ...splitFile(file.path, content.toString('utf8')) });
      bytes += content.length;
      if (batch.length >= BATCH_TEXTS || bytes >= BATCH_BYTES) await flush(place + 1);
    }
    await flush(chosen.length);
  } finally {
    reader.close();
  }
  const paths = chosen.filter((file) => !dropped.has(keyOf(file))).map(toCodePath);
  const unique = [...new Map(paths.map((one) => [one.path, one])).values()];
  const counts = { files: tree.files.length, indexed: unique.length, left: left.counts };
  await store.attach(codeOf, needed, counts, unique);
  return { counts, added };
}

type ChosenFile = RepositoryFile & TextKey & { readonly isDocs: boolean };

/** Chooses the files that people wrote by hand, within the bounds of a commit: the shallow ones first. */
function chooseFiles(files: readonly RepositoryFile[], left: Leftovers): readonly ChosenFile[] {
  const chosen: ChosenFile[] = [];
  let bytes = 0;
  const depth = ({ path }: RepositoryFile): number => path.split('/').length;
  for (const file of files.toSorted((one, other) => depth(one) - depth(other))) {
    const reason = findPathReason(file);
    const isBeyond = chosen.length >= MAX_FILES || bytes + file.sizeBytes > MAX_COMMIT_BYTES;
    if (reason !== null || isBeyond) {
      left.note(reason ?? 'beyond', file.path);
      continue;
    }
    bytes += file.sizeBytes;
    chosen.push({ ...file, ...getTextForm(file.path) });
  }
  return chosen.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function findPathReason({ path, sizeBytes }: RepositoryFile): LeftOut | null {
  if (isVendored(path)) return 'vendored';
  if (isGenerated(path)) return 'generated';
  return sizeBytes > MAX_FILE_BYTES ? 'large' : null;
}

function findReason(path: string, content: Buffer): LeftOut | null {
  if (content.includes(0)) return 'binary';
  return isGenerated(path, content.toString('utf8')) ? 'generated' : null;
}

async function findKnown(store: CodeStore, files: readonly ChosenFile[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (let at = 0; at < files.length; at += KNOWN_AT_ONCE)
    for (const key of await store.known(files.slice(at, at + KNOWN_AT_ONCE))) known.add(key);
  return known;
}

function toCodePath({ path, blob, form }: ChosenFile): CodePath {
  return { path: redactText(path).slice(0, 1_000), blob, form, weight: weighPath(path) };
}

/** A search is rarely about tests, examples and lists of changes, which repeat the words of everything else. */
function weighPath(path: string): number {
  if (/(?:^|\/)(?:change(?:log|s)|history|news|releases?|licen[cs]e|copying|authors)[^/]*$/i.test(path)) return 0.6;
  if (isTest(path)) return 0.6;
  if (isExample(path)) return 0.7;
  return isDocumentation(path) || !/\.(?:json|ya?ml|toml|lock|svg|css|html)$/i.test(path) ? 1 : 0.85;
}

function keyOf({ blob, form }: TextKey): string {
  return `${blob} ${form}`;
}

class Leftovers {
  readonly counts: Partial<Record<LeftOut, { count: number; paths: string[] }>> = {};

  note(reason: LeftOut, path: string): void {
    const kind = (this.counts[reason] ??= { count: 0, paths: [] });
    kind.count += 1;
    if (kind.paths.length < MAX_NAMED) kind.paths.push(redactText(path).slice(0, 300));
  }
}
