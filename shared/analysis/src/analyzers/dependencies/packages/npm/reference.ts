import type { Reference } from '../package.ts';

const COMMIT = /#[0-9a-f]{40}$/i;
const GIT = /^(?:git(?:\+\w+)?:|git@|ssh:|(?:github|gitlab|bitbucket|gist):)|^https?:[^#]*\.git(?:#|$)/i;
/** Matches `owner/name`, npm's short form for GitHub. */
const SHORT = /^[\w.-]+\/[\w.-]+(?:#.*)?$/;
const PATH = /^(?:file:|link:|portal:|\.{1,2}\/|\/|~\/)/;

/** Parses the value of a dependency in package.json. */
export function readReference(range: string): Reference {
  if (PATH.test(range)) return { range: null, origin: { kind: 'path', at: range, isPinned: true } };
  if (GIT.test(range) || SHORT.test(range))
    return { range: null, origin: { kind: 'git', at: range, isPinned: COMMIT.test(range) } };
  if (/^https?:/.test(range)) return { range: null, origin: { kind: 'url', at: range, isPinned: false } };
  const [, of] = /^npm:((?:@[^/@]+\/)?[^/@]+)(?:@.+)?$/.exec(range) ?? [];
  if (of !== undefined) return { range: null, of };
  return { range: /^(?:workspace|catalog|patch|jsr|npm|exec):/.test(range) ? null : range };
}
