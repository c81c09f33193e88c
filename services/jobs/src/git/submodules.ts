import { AppError } from '@signalbox/contracts/errors';
import type { Git } from './git.ts';
import type { RepositoryAddress } from './repository-address.ts';

/** A repository inside another one: where it lies there, and which commit of it. */
export interface Submodule {
  readonly path: string;
  readonly mirror: string;
  readonly commit: string;
}

/** The submodules of a commit, those of submodules included, and the paths of those that cannot be had. */
export interface Submodules {
  readonly found: readonly Submodule[];
  readonly missing: readonly string[];
}

/** A commit whose submodules are wanted. */
export interface SubmoduleParent {
  readonly address: RepositoryAddress;
  readonly mirror: string;
  readonly commit: string;
}

/** Fetches a commit of a submodule. Throws REPOSITORY_REFUSED, REPOSITORY_UNREADABLE and NOT_FOUND. */
export type FetchSubmodule = (from: RepositoryAddress, url: string, commit: string) => Promise<SubmoduleParent>;

/** A hostile repository could name thousands, each with others. */
const MAX_SUBMODULES = 20;
const MAX_DEPTH = 3;
const MAX_BYTES = 262_144;

/** Fetches the submodules of a commit below `folder`. Their commits are part of the commit, so nobody can change them later. */
export async function fetchSubmodules(
  git: Git,
  parent: SubmoduleParent,
  folder: string | null,
  { fetch, signal }: { readonly fetch: FetchSubmodule; readonly signal: AbortSignal },
): Promise<Submodules> {
  const found: Submodule[] = [];
  const missing: string[] = [];
  const visit = async (at: SubmoduleParent, above: string, depth: number): Promise<void> => {
    for (const { path, url } of await listSubmodules(git, at, signal)) {
      const place = `${above}${path}`;
      if (depth === 1 && folder !== null && !place.startsWith(`${folder}/`)) continue;
      const commit = await readLink(git, at, path, signal);
      if (commit === null) continue;
      const isTooMany = found.length >= MAX_SUBMODULES || depth > MAX_DEPTH;
      const fetched = isTooMany ? null : await fetchOrNull(fetch(at.address, resolveUrl(at.address, url), commit));
      if (fetched === null) missing.push(place);
      else {
        found.push({ path: place, mirror: fetched.mirror, commit });
        await visit(fetched, `${place}/`, depth + 1);
      }
    }
  };
  await visit(parent, '', 1);
  return { found, missing };
}

async function fetchOrNull(fetching: Promise<SubmoduleParent>): Promise<SubmoduleParent | null> {
  return fetching.catch((error: unknown) => {
    if (error instanceof AppError) return null;
    throw error;
  });
}

/** Lists what .gitmodules names. Git reads the file, and it follows no includes of a blob. */
async function listSubmodules(
  git: Git,
  { mirror, commit }: SubmoduleParent,
  signal: AbortSignal,
): Promise<readonly { readonly path: string; readonly url: string }[]> {
  const words = [
    'config',
    '--null',
    '--blob',
    `${commit}:.gitmodules`,
    '--get-regexp',
    String.raw`^submodule\..*\.(path|url)$`,
  ];
  const { code, stdout } = await git(['-C', mirror, ...words], { signal, maxBytes: MAX_BYTES });
  if (code !== 0) return [];
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [, name = '', key = '', value = ''] = /^submodule\.([^\n]*)\.(path|url)\n([^\n]*)$/.exec(entry) ?? [];
    if (name !== '') modules.set(name, { ...modules.get(name), [key]: value });
  }
  return [...modules.values()].flatMap(({ path = '', url = '' }) =>
    isPlainPath(path) && url !== '' ? [{ path, url }] : [],
  );
}

function isPlainPath(path: string): boolean {
  const parts = path.split('/');
  return path.length <= 200 && parts.every((part) => part !== '' && !/^\.{1,2}$|^\.git$|[\\\p{Cc}]/iu.test(part));
}

/** The commit of a submodule at a path; null where the commit has something else there. */
async function readLink(git: Git, at: SubmoduleParent, path: string, signal: AbortSignal): Promise<string | null> {
  const words = ['-C', at.mirror, '--literal-pathspecs', 'ls-tree', '-z', at.commit, '--', path];
  const { stdout } = await git(words, { signal });
  const [, commit, name] = /^160000 commit ([0-9a-f]{40,64})\t([^\0]*)\0$/.exec(stdout.toString('utf8')) ?? [];
  return name === path ? (commit ?? null) : null;
}

/** Resolves `../lib.git` against the repository that names it, as git does, but never above its host or root. Pure. */
function resolveUrl({ url: base }: Pick<RepositoryAddress, 'url'>, url: string): string {
  // These hosts serve the same by https, which shows who answers.
  if (!/^\.\.?\//.test(url)) return url.replace(/^(?:http|git):\/\//, 'https://');
  const [, root = '', path = ''] = /^(\w+:\/\/[^/]+\/|[^/:]+@[^/:]+:|\/)(.*)$/.exec(base) ?? [];
  const parts = path.replace(/\/+$/, '').split('/');
  for (const part of url.split('/')) {
    if (part === '..' && parts.pop() === undefined) return '';
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return `${root}${parts.join('/')}`;
}
