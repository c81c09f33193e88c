import type { Entity, FormattedText } from './format.ts';

/** Draws nothing, and no name or address goes on behind it. */
const JOINER = '\u2060';
/** Where Telegram would see a mention; the address of an e-mail is none. */
const MENTION = /(?<![\p{L}\p{N}_])@(?=\w)/gu;
/** Addresses that act inside the app: Telegram links them wherever they stand. */
const APP_ADDRESS = /\b(?:tg|ton|tonsite):(?=\/\/)/gi;
/** An `@` that begins a step of a web address belongs to it, as in those of videos, packages and profiles. */
const WEB_ADDRESS = /https?:\/\/[\w.-]+\.[a-z]{2,}(?::\d+)?(?:\/[\w.%~+-]*)*?\/@\w/gi;

/**
 * Keeps Telegram from making more of a text than it says. It finds mentions and addresses by itself and can be asked not to
 * only in rich messages. In a group a mention would notify a person, so it is taken apart there, as are the app's own addresses
 * everywhere. Code stays as it is: nothing is found in it.
 */
export function escapeLinks(formatted: FormattedText, options: { readonly inGroup: boolean }): FormattedText {
  const places = findPlaces(formatted, options.inGroup);
  if (places.length === 0) return formatted;
  const startOf = (offset: number): number => offset + countUpTo(places, offset);
  // What is put in where a span ends stays outside.
  const endOf = (offset: number): number => offset + countUpTo(places, offset - 1);
  const move = <T extends { readonly offset: number; readonly length: number }>(one: T): T => {
    const offset = startOf(one.offset);
    return { ...one, offset, length: endOf(one.offset + one.length) - offset };
  };
  return {
    text: insert(formatted.text, places),
    entities: formatted.entities.map(move),
    breaks: formatted.breaks.map(startOf),
    heads: formatted.heads.map(move),
  };
}

/** The same for a text whose code is not marked as such any more. It keeps its length: it may be as long as can be. */
export function escapeUnmarkedLinks(text: string): string {
  return text.replace(MENTION, '\uff20').replace(/\b(tg|ton|tonsite):\/\//gi, '$1:\uff0f/');
}

function findPlaces({ text, entities }: FormattedText, inGroup: boolean): readonly number[] {
  const isCode = createSearch(entities.filter((one) => one.type === 'code' || one.type === 'pre'));
  const addresses = ends(text, APP_ADDRESS);
  const mentions = inGroup ? findMentions(text) : [];
  return [...addresses, ...mentions].filter((at) => !isCode(at)).sort((a, b) => a - b);
}

function findMentions(text: string): readonly number[] {
  if (!text.includes('@')) return [];
  const addresses = [...text.matchAll(WEB_ADDRESS)].map((match) => ({ offset: match.index, length: match[0].length }));
  const isInside = createSearch(addresses);
  return ends(text, MENTION).filter((at) => !isInside(at));
}

function ends(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length);
}

type Stretch = Pick<Entity, 'offset' | 'length'>;

/** Returns whether a place is in one of these stretches, which do not overlap. */
function createSearch(stretches: readonly Stretch[]): (at: number) => boolean {
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

/** How many of the first places a condition holds for, by halving: it holds up to one of them and not after it. */
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
