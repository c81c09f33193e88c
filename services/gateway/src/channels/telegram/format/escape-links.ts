import type { TextEntity, FormattedText } from './format.ts';

/** Word joiner: an invisible character that ends a name or an address. */
const JOINER = '\u2060';
/** The start of a mention as Telegram finds it; e-mail addresses do not match. */
const MENTION = /(?<![\p{L}\p{N}_])@(?=\w)/gu;
/** Telegram links these addresses everywhere, and they act inside the app. */
const APP_ADDRESS = /\b(?:tg|ton|tonsite):(?=\/\/)/gi;
/** Web addresses with a path segment that begins with `@`, which is no mention. */
const WEB_ADDRESS = /https?:\/\/[\w.-]+\.[a-z]{2,}(?::\d+)?(?:\/[\w.%~+-]*)*?\/@\w/gi;

/** Keeps Telegram from linking app addresses and, in a group, mentions, which notify a person. Nothing is linked in code. */
export function escapeLinks(formatted: FormattedText, options: { readonly inGroup: boolean }): FormattedText {
  const offsets = findInsertions(formatted, options.inGroup);
  if (offsets.length === 0) return formatted;
  const moveStart = (offset: number): number => offset + countUpTo(offsets, offset);
  // A joiner at the end of a span stays outside the span.
  const moveEnd = (offset: number): number => offset + countUpTo(offsets, offset - 1);
  const move = <T extends { readonly offset: number; readonly length: number }>(one: T): T => {
    const offset = moveStart(one.offset);
    return { ...one, offset, length: moveEnd(one.offset + one.length) - offset };
  };
  return {
    text: insert(formatted.text, offsets),
    entities: formatted.entities.map(move),
    breaks: formatted.breaks.map(moveStart),
    heads: formatted.heads.map(move),
  };
}

/** Escapes text whose code is no longer marked, without changing its length, which may be at the limit. */
export function escapeUnmarkedLinks(text: string): string {
  return text.replace(MENTION, '\uff20').replace(/\b(tg|ton|tonsite):\/\//gi, '$1:\uff0f/');
}

function findInsertions({ text, entities }: FormattedText, inGroup: boolean): readonly number[] {
  const isCode = createRangeTest(entities.filter((one) => one.type === 'code' || one.type === 'pre'));
  const addresses = findEnds(text, APP_ADDRESS);
  const mentions = inGroup ? findMentions(text) : [];
  return [...addresses, ...mentions].filter((at) => !isCode(at)).sort((a, b) => a - b);
}

function findMentions(text: string): readonly number[] {
  if (!text.includes('@')) return [];
  const addresses = [...text.matchAll(WEB_ADDRESS)].map((match) => ({ offset: match.index, length: match[0].length }));
  const isInside = createRangeTest(addresses);
  return findEnds(text, MENTION).filter((at) => !isInside(at));
}

function findEnds(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length);
}

/** Returns a test for offsets inside these ranges, which do not overlap. */
function createRangeTest(stretches: readonly Pick<TextEntity, 'offset' | 'length'>[]): (at: number) => boolean {
  const sorted = [...stretches].sort((a, b) => a.offset - b.offset);
  return (at) => {
    const index = countWhere(sorted.length, (place) => (sorted[place]?.offset ?? 0) < at);
    const stretch = sorted[index - 1];
    return stretch !== undefined && at < stretch.offset + stretch.length;
  };
}

function countUpTo(sorted: readonly number[], offset: number): number {
  return countWhere(sorted.length, (place) => (sorted[place] ?? 0) <= offset);
}

/** Counts the leading indexes that satisfy a condition, by binary search: `holds` must be true for a prefix only. */
function countWhere(length: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(text: string, places: readonly number[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const at of places) {
    pieces.push(text.slice(from, at));
    from = at;
  }
  pieces.push(text.slice(from));
  return pieces.join(JOINER);
}
