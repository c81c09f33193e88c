import type { SecretMatch } from './found.ts';

/** A normalized text, with the original start and end offset of each UTF-16 unit. */
export interface NormalizedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Matches invisible characters: soft hyphens, joiners, direction marks, byte order marks. */
const INVISIBLE = /[\u00ad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/;
const INVISIBLE_RUNS = new RegExp(`${INVISIBLE.source}+`, 'g');
const ESCAPE_LENGTH = 3;
const ESCAPED = /(?:%[0-9A-Fa-f]{2})+/g;
/** Matches a line break within a word. */
const BREAK = /(?<=[\w+/=.-])[ \t]{0,4}\r?\n[ \t]{0,8}(?=[\w+/=.-])/g;

/** Removes invisible characters from a text; null when the text has none. */
export function removeInvisible(text: string): NormalizedText | null {
  return INVISIBLE.test(text) ? replaceAll(text, INVISIBLE_RUNS, () => '') : null;
}

/** Decodes percent escapes such as `%41` in a text; null when the text has none. */
export function decodePercents(text: string): NormalizedText | null {
  return /%[0-9A-Fa-f]{2}/.test(text) ? replaceAll(text, ESCAPED, decodeEscapes) : null;
}

/** Joins lines that were broken within a word; null when no line was. */
export function joinBrokenLines(text: string): NormalizedText | null {
  return text.includes('\n') ? replaceAll(text, BREAK, () => '') : null;
}

export function toOriginalOffsets(view: NormalizedText, matches: readonly SecretMatch[]): readonly SecretMatch[] {
  return matches.map(({ kind, start, end }) => ({
    kind,
    start: view.starts[start] ?? 0,
    end: view.ends[end - 1] ?? 0,
  }));
}

function replaceAll(text: string, pattern: RegExp, decode: (match: string) => string): NormalizedText {
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
  // Decodes bytes, not characters: one unit per escape keeps offsets exact, and secrets are ASCII.
  return Buffer.from(match.replaceAll('%', ''), 'hex').toString('latin1');
}

const MIN_BASE64_LENGTH = 24;
const BASE64 = /[\w+/-]{24,}={0,2}/g;

/** Finds base64 runs that decode to text, and returns the decoded text. */
export function findBase64Texts(
  text: string,
): readonly { readonly start: number; readonly end: number; readonly text: string }[] {
  if (text.length < MIN_BASE64_LENGTH) return [];
  const wrapped: { start: number; end: number; text: string }[] = [];
  for (const match of text.matchAll(BASE64)) {
    // Base64 of text practically always has capitals; ids of Signalbox and hex digests have none.
    if (!/[A-Z]/.test(match[0])) continue;
    const inner = Buffer.from(match[0], 'base64').toString('latin1');
    if (isPrintable(inner)) wrapped.push({ start: match.index, end: match.index + match[0].length, text: inner });
  }
  return wrapped;
}

/** True when at least 95 % of a text is printable. */
function isPrintable(text: string): boolean {
  const odd = text.match(/[^\t\n\r\x20-\x7e]/g)?.length ?? 0;
  return odd * 20 <= text.length;
}
