import { findQuantities, findVersions } from './quantities.ts';
import type { Found } from '../slots/slot-values.ts';
import { isFiller } from './tokens.ts';

const LABELLED_VERSION =
  /\b(?:version|ver|release|build|revision|rev|tag)\.?\s+(?:number\s+)?["']?(v?\d[\w.+-]*|[\p{L}][\p{L}\p{N}]*(?:[-_./][\p{L}\p{N}]+)+)/giu;

const BRANCH = /\b(?:branch|tag)\s+["']?([\p{L}\p{N}][\w./-]*)/giu;
const BEFORE_BRANCH = /(?<![\p{L}\p{N}])([\p{L}\p{N}][\w./-]*)\s+(?:branch|tag)\b/giu;

const NEWEST = /\b(?:the )?(latest|newest)\b(?=\s+(?:version|release|build|one|of|¤)|\s*$|\s+(?:to|on|in)\b)/giu;

const NUMBER_AFTER = /\b(?:to|at)\s+(\d+)\b(?!\s*[\p{L}%])/giu;

/**
 * Versions in a text, the likeliest first: named as one, numbered like one (1.4.2), a number with a point, "the latest".
 * `bare` also takes a whole number, for tools that take no other numbers.
 */
export function findVersionsFor(
  text: string,
  { bare, target }: { readonly bare: boolean; readonly target: boolean },
): readonly Found[] {
  const found: Found[] = [];
  const add = (value: string | undefined, start: number): void => {
    if (value === undefined || isFiller(value.toLowerCase()) || NO_VERSIONS.has(value.toLowerCase())) return;
    const trimmed = value.replace(/[.,;:!?]+$/, '');
    if (!found.some((other) => start < other.end && start + trimmed.length > other.start))
      found.push({ value: trimmed, start, end: start + trimmed.length });
  };
  for (const match of text.matchAll(LABELLED_VERSION))
    add(match[1], match.index + match[0].lastIndexOf(match[1] ?? ''));
  for (const match of text.matchAll(BRANCH))
    add(match[1], match.index + match[0].indexOf(match[1] ?? '', 'tag '.length));
  // "Deploy branch main" names it behind, "the main branch" before.
  if (found.length === 0) for (const match of text.matchAll(BEFORE_BRANCH)) add(match[1], match.index);
  for (const { value, start } of findVersions(text))
    add(/^\d+(?:\.\d+){3}$/.test(value) ? undefined : withSuffix(text, value, start), start);
  const quantities = findQuantities(text).filter(
    ({ unit, start, end }) => unit === null && /^\d/.test(text.slice(start, end)),
  );
  for (const { start, end } of quantities) if (/\./.test(text.slice(start, end))) add(text.slice(start, end), start);
  for (const match of text.matchAll(NEWEST))
    add(match[1]?.toLowerCase(), match.index + match[0].toLowerCase().indexOf((match[1] ?? '').toLowerCase()));
  if (bare) {
    for (const match of text.matchAll(NUMBER_AFTER))
      add(match[1], match.index + match[0].length - (match[1]?.length ?? 0));
    for (const { start, end } of quantities) add(text.slice(start, end), start);
  }
  // "from 2.0 to 1.9": where it goes to is meant, not where it comes from.
  const isFrom = ({ start }: Found): boolean => /\bfrom (?:version )?v?$/i.test(text.slice(0, start));
  return target && found.some((one) => !isFrom(one)) ? found.filter((one) => !isFrom(one)) : found;
}

/** 1.4.0-rc.1 is one version. */
function withSuffix(text: string, value: string, start: number): string {
  return value + (/^[-+][\p{L}\p{N}]+(?:[.-][\p{L}\p{N}]+)*/u.exec(text.slice(start + value.length))?.[0] ?? '');
}

/** What most repositories call the branch that everything else comes from. */
export const MAIN_BRANCHES: ReadonlySet<string> = new Set(['main', 'master', 'trunk', 'develop', 'head']);

/** Whether a version could be any word: letters alone, and none of the usual branches. */
export function isBareWord(version: string): boolean {
  return /^\p{L}+$/u.test(version) && !MAIN_BRANCHES.has(version.toLowerCase());
}

const NO_VERSIONS: ReadonlySet<string> = new Set(
  'of is was were which what for from runs run deployed the new old current status same previous earlier'.split(' '),
);
