import { type Mention, isWord } from '../names/mentions.ts';
import { tokenize } from '../text/tokens.ts';
import { type Found, at, findQuantities, findVersions } from '../text/values.ts';

/** What most repositories call the branch that everything else comes from. */
const MAIN_BRANCHES: ReadonlySet<string> = new Set(['main', 'master', 'trunk', 'develop', 'head']);
const LABELLED =
  /\b(?:version|release|build|revision|tag|branch|commit)\s+(?:number\s+)?["']?([\p{L}\p{N}][\w./+-]*)/giu;
const BEFORE_LABEL = /(?<![\p{L}\p{N}])([\p{L}\p{N}][\w./-]*)\s+(?:branch|tag)\b/giu;
const NEWEST = /\b(latest|newest)\b(?=\s+(?:version|release|build|one|of)|\s*$|\s+(?:to|on|in)\b)/giu;
const COMMIT = /(?<![\p{L}\p{N}])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\p{L}\p{N}])/giu;
const NO_REFS: ReadonlySet<string> = new Set(
  'of is was were which what for from runs run deployed the new old current to on in and at by number'.split(' '),
);

/**
 * Versions, tags, branches and commits in a text, the likeliest first. `whole`: also a whole number, for tools that take no other numbers.
 * "from 2.0 to 1.9" means the one that it goes to.
 */
export function findRefs(text: string, mentions: readonly Mention[], whole: boolean): readonly Found[] {
  const matches = (pattern: RegExp): readonly Found[] =>
    [...text.matchAll(pattern)].map((match) => {
      const value = (match[1] ?? match[0]).replace(/[.,;:!?]+$/, '');
      return at(value, match.index + match[0].lastIndexOf(match[1] ?? match[0]));
    });
  const known = mentions
    .filter(({ kind }) => kind === 'version')
    .map(({ name, start, end }) => ({ value: name, start, end }));
  const versions = findVersions(text).filter(({ value }) => !/^\d+(?:\.\d+){3}$/.test(value));
  const numbers = findQuantities(text).filter(
    ({ unit, start, end }) => unit === null && /^\d[\d.]*$/.test(text.slice(start, end)),
  );
  const written = numbers.map(({ start, end }) => at(text.slice(start, end), start));
  const found = [
    ...known,
    ...matches(LABELLED).filter(({ value }) => !isPlainWord(value)),
    ...versions,
    ...written.filter(({ value }) => value.includes('.')),
    ...matches(COMMIT),
    ...matches(LABELLED).filter(({ value }) => !isWord(value.toLowerCase())),
    ...matches(BEFORE_LABEL),
    ...matches(NEWEST).map((one) => ({ ...one, value: one.value.toLowerCase() })),
    ...besideProjects(text, mentions),
    ...(whole ? written : []),
  ].filter(({ value, start, end }) => !NO_REFS.has(value.toLowerCase()) && !isOther(mentions, start, end));
  const isFrom = ({ start }: Found): boolean => /\bfrom (?:version )?v?$/i.test(text.slice(0, start));
  return [...found.filter((one) => !isFrom(one)), ...found.filter(isFrom)];
}

/** Branches, tags and commits by their bare name, beside a project: "ship main of todo", "deploy lab buildfail to staging". */
function besideProjects(text: string, mentions: readonly Mention[]): readonly Found[] {
  const tokens = tokenize(text);
  const beside = mentions
    .filter(({ kind }) => kind === 'project')
    .flatMap((project) => {
      const first = tokens.findIndex(({ start }) => start >= project.start);
      const before = tokens[first - 1]?.lower === 'of' ? tokens[first - 2] : undefined;
      return [before, tokens.find(({ start }) => start >= project.end)];
    });
  return beside.flatMap((token) => {
    if (!token || (isWord(token.lower) && !MAIN_BRANCHES.has(token.lower))) return [];
    return [{ value: text.slice(token.start, token.end), start: token.start, end: token.end }];
  });
}

/** Whether a version could be any word: letters alone, and none of the usual branches. */
export function isPlainWord(version: string): boolean {
  return /^\p{L}+$/u.test(version) && !MAIN_BRANCHES.has(version.toLowerCase());
}

function isOther(mentions: readonly Mention[], start: number, end: number): boolean {
  return mentions.some((mention) => mention.kind !== 'version' && start < mention.end && end > mention.start);
}
