import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import type { ChangedFile } from '@signalbox/contracts/engineering/change';
import { AppError } from '@signalbox/contracts/errors';
import { parsePath, requireReadable, requireWritable } from '@signalbox/safety/paths/boundary';
import type { Git } from '../git/git.ts';
import { applyDiff } from '../workspace/apply.ts';
import { readDiff } from '../workspace/diff.ts';
import { readText } from '../workspace/files.ts';
import { withFolder } from '../workspace/folder.ts';
import { writeDiff, type FileVersions } from '../workspace/write-diff.ts';
import { writeCleanDiff } from './clean-diff.ts';
import type { ReadableTree } from './ready-edits.ts';

const MAX_LISTED = 5_000;
/** Larger texts are neither edited nor shown. */
const MAX_TEXT_LENGTH = 1_000_000;
const TREE_MODE = 0o700;

/** The files of a change: the base commit and the edits on it. Only edits change it; what checks write stays in a copy. */
export interface WorkTree extends ReadableTree {
  readonly root: string;
  /** Lists a folder with everything below it. Throws PATH_DENIED, NOT_FOUND. */
  list(folder?: string): Promise<readonly string[]>;
  /** Applies edits, all or none, within the bounds. Throws PATH_DENIED, DIFF_REFUSED. `id`: repeating it changes nothing more. */
  apply(id: string, files: readonly FileVersions[]): Promise<void>;
  /** The diff of all edits to the base commit. Empty without edits. */
  diff(): string;
  /** The edited files, before and after all edits. */
  edits(): readonly FileVersions[];
}

/** Checks a commit of a mirror out into an empty folder, without `.git`. `home`: a folder of this change alone. */
export async function openWorkTree(
  { git, home, bounds }: { readonly git: Git; readonly home: string; readonly bounds: AgentBounds },
  { mirror, commit, folder }: { readonly mirror: string; readonly commit: string; readonly folder: string | null },
  signal: AbortSignal,
): Promise<WorkTree> {
  const [root, notes] = [join(home, 'tree'), join(home, 'notes')];
  for (const place of [root, notes]) {
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true, mode: TREE_MODE });
  }
  const index = join(home, 'index');
  await rm(index, { force: true });
  for (const words of [
    ['read-tree', commit],
    ['checkout-index', '--all', '--force'],
  ]) {
    const options = { signal, env: { GIT_INDEX_FILE: index } };
    const { code, stderr } = await git(['--git-dir', mirror, '--work-tree', root, ...words], options);
    if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr}`);
  }
  const scope = { root, bounds, fits: () => Promise.resolve() };
  const first = new Map<string, string | null>();
  const now = new Map<string, string | null>();
  const read = async (path: string): Promise<string | null> => {
    try {
      const { text } = await readText(scope, path);
      return text.length > MAX_TEXT_LENGTH ? null : text;
    } catch (error) {
      if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'PATH_UNSUITABLE')) return null;
      throw error;
    }
  };
  const edits = (): readonly FileVersions[] =>
    [...first].map(([path, before]) => ({ path, before, after: now.get(path) ?? null }));
  return {
    root,
    folder,
    read,
    list: (below = '.') => listFiles(root, bounds, below),
    async apply(id, files) {
      for (const { path } of files) requireWritable(bounds, parsePath(path));
      const diff = writeDiff(files);
      if (diff === '') return;
      await applyDiff(scope, { root, notes }, id, diff);
      for (const { path, before, after } of files) {
        const name = parsePath(path).join('/');
        if (!first.has(name)) first.set(name, before);
        now.set(name, after);
      }
    },
    diff: () => writeCleanDiff(edits()),
    edits,
  };
}

/** The files of a diff with their numbers of lines. Pure. */
export function listChangedFiles(diff: string): readonly ChangedFile[] {
  return readDiff(diff).map(({ path, change, added, removed }) => ({ path, change, added, removed }));
}

async function listFiles(root: string, bounds: AgentBounds, folder: string): Promise<readonly string[]> {
  const top = parsePath(folder);
  requireReadable(bounds, top);
  const found: string[] = [];
  const visit = async (parts: readonly string[]): Promise<void> => {
    const entries = await withFolder(root, parts, { create: false }, (open) =>
      readdir(open.at('.'), { withFileTypes: true }),
    );
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MAX_LISTED) return;
      const path = [...parts, entry.name];
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) found.push(path.join('/'));
    }
  };
  await visit(top);
  return found;
}
