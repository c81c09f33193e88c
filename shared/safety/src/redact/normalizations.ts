import type { SecretMatch } from './found.ts';

/** A text as it reads without its wrapping, and where each of its units begins and ends in the original. */
export interface View {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Signs that are not seen: soft hyphens, joiners, marks of direction, byte order marks. */
const UNSEEN = /[\u00ad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/;
const UNSEEN_ALL = new RegExp(`${UNSEEN.source}+`, 'g');
const ESCAPE_LENGTH = 3;
const ESCAPED = /(?:%[0-9A-Fa-f]{2})+/g;
/** A line that ends within a word: the next one goes on with it. */
const BREAK = /(?<=[\w+/=.-])[ \t]{0,4}\r?\n[ \t]{0,8}(?=[\w+/=.-])/g;

/** The text without signs that are not seen; null when there are none. */
export function withoutUnseen(text: string): View | null {
  return UNSEEN.test(text) ? replaceAll(text, UNSEEN_ALL, () => '') : null;
}

/** The text with `%41` read as `A`; null when there is none. */
export function withoutEscapes(text: string): View | null {
  return /%[0-9A-Fa-f]{2}/.test(text) ? replaceAll(text, ESCAPED, decodeEscapes) : null;
}

/** The text with lines put together that were broken within a word; null when there are none. */
export function withoutBreaks(text: string): View | null {
  return text.includes('\n') ? replaceAll(text, BREAK, () => '') : null;
}

/** Places of the original for what was found in the view. */
export function inOriginal(view: View, found: readonly SecretMatch[]): readonly SecretMatch[] {
  return found.map(({ kind, start, end }) => ({
    kind,
    start: view.starts[start] ?? 0,
    end: view.ends[end - 1] ?? 0,
  }));
}

function replaceAll(text: string, pattern: RegExp, decode: (match: string) => string): View {
  const starts: number[] = [];
  const ends: number[] = [];
  const pieces: string[] = [];
  const put = (from: number, to: number): void => {
    pieces.push(text.slice(from, to));
    for (let place = from; place < to; place += 1) {
      starts.push(place);
      ends.push(place + 1);
    }
  };
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    put(from, match.index);
    from = match.index + match[0].length;
    const decoded = decode(match[0]);
    pieces.push(decoded);
    for (let unit = 0; unit < decoded.length; unit += 1) {
      starts.push(match.index + unit * ESCAPE_LENGTH);
      ends.push(match.index + (unit + 1) * ESCAPE_LENGTH);
    }
  }
  put(from, text.length);
  return { text: pieces.join(''), starts, ends };
}

function decodeEscapes(match: string): string {
  // Bytes, not characters: one unit for three, so that places stay exact. Secrets are ASCII.
  return Buffer.from(match.replaceAll('%', ''), 'hex').toString('latin1');
}

const SHORTEST = 24;
const BASE64 = /[\w+/-]{24,}={0,2}/g;

/** Runs of base 64 that are text inside, each with that text. */
export function findWrapped(
  text: string,
): readonly { readonly start: number; readonly end: number; readonly text: string }[] {
  if (text.length < SHORTEST) return [];
  const wrapped: { start: number; end: number; text: string }[] = [];
  for (const match of text.matchAll(BASE64)) {
    // Base64 of a text practically always has capitals; our ids and hexadecimal digests have none.
    if (!/[A-Z]/.test(match[0])) continue;
    const inner = Buffer.from(match[0], 'base64').toString('latin1');
    if (isPrintable(inner)) wrapped.push({ start: match.index, end: match.index + match[0].length, text: inner });
  }
  return wrapped;
}

/** Almost all of it: the first units decide about most runs. */
function isPrintable(text: string): boolean {
  const odd = text.match(/[^\t\n\r\x20-\x7e]/g)?.length ?? 0;
  return odd * 20 <= text.length;
}
