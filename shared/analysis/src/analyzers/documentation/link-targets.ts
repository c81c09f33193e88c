import type { RepositoryReader } from '../../analyzer.ts';

/** Destination of a link: a file with an optional anchor, another site, or unknown. */
export type LinkTarget =
  | { readonly kind: 'file'; readonly path: string; readonly anchor: string }
  | { readonly kind: 'outside' }
  | { readonly kind: 'unknown' };

/** Pages of a code host, such as issues, that relative links reach by going up two folders. */
const FORGE_PAGES =
  /(?:^|\/)(?:issues|pulls?|wiki|releases|actions|discussions|blob|tree|raw|commits?|compare|labels|milestones|security|network|stargazers|graphs|tags|projects|merge_requests|-)(?:\/|$|\?)/;
/** Absolute paths on a developer's machine. */
const LOCAL = /^(?:file:|[A-Za-z]:[\\/]|\/(?:home|Users)\/)/;
const TEMPLATE = /[{}$%<>|]|\.{3}|^@/;

/** Resolves a link relative to the page that contains it. */
export function resolveTarget(page: string, written: string): LinkTarget {
  if (LOCAL.test(written)) return { kind: 'outside' };
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written) || /[{}$<>|]|\.{3}|^@/.test(written)) return { kind: 'unknown' };
  const [beforeHash = '', ...hash] = written.split('#');
  const target = decode(beforeHash.split('?')[0] ?? '');
  const anchor = decode(hash.join('#'));
  if (target === null || anchor === null || TEMPLATE.test(target)) return { kind: 'unknown' };
  if (target === '') return anchor === '' ? { kind: 'unknown' } : { kind: 'file', path: page, anchor };
  const parts = target.startsWith('/') ? [] : page.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && parts.pop() === undefined)
      return FORGE_PAGES.test(target) ? { kind: 'unknown' } : { kind: 'outside' };
    if (part !== '' && part !== '.' && part !== '..') parts.push(part);
  }
  if (FORGE_PAGES.test(target) && target.startsWith('../')) return { kind: 'unknown' };
  return { kind: 'file', path: parts.join('/'), anchor };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // The link target contains a literal percent sign.
    return null;
  }
}

/** Indexes the files, folders and links of a repository. The contents of submodules are not known. */
export function createPathLookup(
  view: Pick<RepositoryReader, 'files' | 'links' | 'submodules'>,
): (path: string) => boolean {
  const known = new Set<string>(['']);
  const unseen = [...view.submodules, ...view.links.map(({ path }) => path)];
  for (const path of [...view.files.map((file) => file.path), ...unseen]) {
    known.add(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (known.has(folder)) break;
      known.add(folder);
    }
  }
  return (path) => known.has(path) || unseen.some((one) => path.startsWith(`${one}/`));
}
