import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Git } from './git.ts';
import { getTree } from './service-commit.ts';
import type { Submodules } from './submodules.ts';

/** Writes the files of a commit below `folder`, and those of its submodules there, without .git into `to`. Returns `to`. */
export async function checkOut(
  git: Git,
  at: Pick<Submodules, 'found'> & {
    readonly mirror: string;
    readonly commit: string;
    readonly folder: string | null;
    readonly to: string;
  },
  signal: AbortSignal,
): Promise<string> {
  const { mirror, commit, folder, found, to } = at;
  await checkOutTree(git, { mirror, tree: getTree(commit, folder), to }, signal);
  for (const module of found) {
    const below = join(to, folder === null ? module.path : module.path.slice(folder.length + 1));
    await requireInside(below, to);
    await checkOutTree(git, { mirror: module.mirror, tree: getTree(module.commit, null), to: below }, signal);
  }
  return to;
}

/** Throws when a folder of a checkout lies elsewhere, because a link leads to it. */
async function requireInside(folder: string, root: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const [above, top] = [await realpath(dirname(folder)), await realpath(root)];
  if (above !== top && !above.startsWith(`${top}${sep}`)) throw new Error(`a submodule lies outside of ${root}`);
}

async function checkOutTree(
  git: Git,
  { mirror, tree, to }: { readonly mirror: string; readonly tree: string; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  await rm(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const index = join(mirror, `index-${randomUUID()}`);
  const options = { signal, env: { GIT_INDEX_FILE: index } };
  try {
    for (const words of [
      ['read-tree', tree],
      ['checkout-index', '--all', '--force'],
    ]) {
      const { code, stderr } = await git(['--git-dir', mirror, '--work-tree', to, ...words], options);
      if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr}`);
    }
  } finally {
    await rm(index, { force: true });
  }
}
