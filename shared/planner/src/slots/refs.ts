import { isGitRef } from '@signalbox/contracts/repository/ref';
import { type Mention, isCommonWord } from '../names/mentions.ts';
import { isHoldingWord } from '../text/holds.ts';
import { type Token, tokenize, wordSet } from '../text/tokens.ts';
import { type TextValue, createTextValue, findQuantities, findVersions } from '../text/values.ts';

/** Common names of a repository's main branch. */
const MAIN_BRANCHES = wordSet('main master trunk develop head');
const LABELLED =
  /\b(?:version|release|build|revision|tag|branch|commit)\s+(?:number\s+)?["']?([\p{L}\p{N}][\w./+-]*)/giu;
const NEWEST = /\b(latest|newest)\b(?=\s+(?:version|release|build|one|of)|\s*$|\s+(?:to|on|in)\b)/giu;
const COMMIT = /(?<![\p{L}\p{N}/_.:@-])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\p{L}\p{N}/_@-])/giu;
const IP_ADDRESS = /^\d+(?:\.\d+){3}$/;

/** Finds versions, tags, branches and commits, likeliest first; the "to" in "from 2.0 to 1.9". `whole`: also whole numbers. */
export function findGitRefs(text: string, mentions: readonly Mention[], whole: boolean): readonly TextValue[] {
  const matches = (pattern: RegExp): readonly TextValue[] =>
    [...text.matchAll(pattern)].map((match) => {
      const value = (match[1] ?? match[0]).replace(/[.,;:!?]+$/, '');
      return createTextValue(value, match.index + match[0].lastIndexOf(match[1] ?? match[0]));
    });
  const known = mentions
    .filter(({ kind }) => kind === 'version')
    .map(({ name, start }) => createTextValue(name, start));
  const numbers = findQuantities(text)
    .filter(({ unit, start, end }) => unit === null && /^\d[\d.]*$/.test(text.slice(start, end)))
    .map(({ start, end }) => createTextValue(text.slice(start, end), start));
  const found = [
    ...known,
    ...matches(LABELLED).filter(({ value }) => mayBeRef(value)),
    ...findVersions(text).filter(({ value }) => !IP_ADDRESS.test(value)),
    ...numbers.filter(({ value }) => value.includes('.')),
    ...matches(COMMIT),
    ...matches(NEWEST).map((one) => ({ ...one, value: one.value.toLowerCase() })),
    ...bareRefs(text, mentions),
    ...(whole ? numbers : []),
  ]
    .map((one) => (/^\d+$/.test(one.value) ? one : takeWholeRef(text, one)))
    .filter(
      (one) => !mentions.some(({ kind, start, end }) => kind !== 'version' && one.start < end && one.end > start),
    );
  const isFrom = ({ start }: TextValue): boolean => /\bfrom (?:version )?v?$/i.test(text.slice(0, start));
  return [...found.filter((one) => !isFrom(one)), ...found.filter(isFrom)];
}

/** Takes a ref as git does, with marks at which words end: `feature/login` of `feature/login#42` is another branch. */
function takeWholeRef(text: string, found: TextValue): TextValue {
  const before = /[^\s"'(]*$/.exec(text.slice(0, found.start))?.[0] ?? '';
  const after = /^[^\s"')]*/.exec(text.slice(found.end))?.[0].replace(/[.,;:!?]+$/, '') ?? '';
  if (before + after === '') return found;
  const start = found.start - before.length;
  const whole = text.slice(start, found.end + after.length);
  return isGitRef(whole) ? createTextValue(whole, start) : found;
}

/**
 * Finds branches, tags and commits by their bare name, beside a project: "put lab s1 on staging". A name of letters alone could be a word of
 * any language ("deploy lab nicht in staging"), so it must stand where an English order only has a ref: "ship main of todo", "deploy lab
 * buildfail to staging", "roll lab back to buildfail". The tool checks that the ref exists before anybody is asked.
 */
function bareRefs(text: string, mentions: readonly Mention[]): readonly TextValue[] {
  const tokens = tokenize(text);
  const isProject = ({ start }: Token): boolean =>
    mentions.some((mention) => mention.kind === 'project' && mention.start === start);
  const isRef = ({ lower }: Token, place: number): boolean => {
    const [beforeLast, last, next, afterNext] = [-2, -1, 1, 2].map((away) => tokens[place + away]);
    if (!mayBeRef(lower)) return false;
    if (next?.lower === 'of' && afterNext && isProject(afterNext)) return true;
    if (last?.lower === 'to' && beforeLast?.lower === 'back') return true;
    return last !== undefined && isProject(last) && (!isPlainWord(lower) || next?.lower === 'to');
  };
  return tokens.filter(isRef).map(({ start, end }) => createTextValue(text.slice(start, end), start));
}

function mayBeRef(word: string): boolean {
  const lower = word.toLowerCase();
  return MAIN_BRANCHES.has(lower) || !(isCommonWord(lower) || isHoldingWord(lower));
}

/** True when a version might be an ordinary word: it has only letters and is no common branch name. */
export function isPlainWord(version: string): boolean {
  return /^\p{L}+$/u.test(version) && !MAIN_BRANCHES.has(version.toLowerCase());
}
