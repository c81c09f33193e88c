import type { RepositoryFile } from '../analyzer.ts';
import type { Mirror } from './start-git.ts';
import { streamGitPieces } from './git-reader.ts';

/** The entries of a commit by kind. The blob of a symbolic link holds its target. */
export interface Tree {
  readonly files: readonly RepositoryFile[];
  readonly links: readonly { readonly path: string; readonly blob: string }[];
  readonly submodules: readonly string[];
}

/** Maximum number of files; larger repositories are refused. */
const MAX_FILES = 200_000;

/** Lists the files of a commit, or of one of its folders with relative paths. Throws for more than 200,000 files. */
export async function listTree(mirror: Mirror, commit: string, folder: string | null): Promise<Tree> {
  const files: RepositoryFile[] = [];
  const links: { path: string; blob: string }[] = [];
  const submodules: string[] = [];
  const tree = `${commit}:${folder ?? ''}`;
  for await (const entry of streamGitPieces(mirror, ['ls-tree', '-r', '-z', '-l', '--full-tree', tree])) {
    const [, mode = '', , blob = '', size = '', path = ''] =
      /^(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-)\t([^]*)$/.exec(entry) ?? [];
    if (mode.startsWith('100')) files.push({ path, blob, sizeBytes: Number(size), isExecutable: mode === '100755' });
    else if (mode === '120000') links.push({ path, blob });
    else if (mode === '160000') submodules.push(path);
    if (files.length > MAX_FILES) throw new Error(`the repository has more than ${MAX_FILES} files`);
  }
  return { files, links, submodules };
}
