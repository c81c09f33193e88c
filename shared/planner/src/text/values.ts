import { type Token, tokenize } from './tokens.ts';

/** Start and end offsets of a part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value in a text, with the value's offsets. */
export interface TextValue extends Span {
  readonly value: string;
}

/** A number in a text. `unit`: the unit in lower case; null when there is none. */
export interface Quantity extends Span {
  readonly value: number;
  readonly unit: string | null;
}

/** Units with their size in bytes or milliseconds. "m" may be a minute or a megabyte. */
const UNITS = [
  ['bytes', 1, 'bytes?'],
  ['bytes', 2 ** 10, 'kib|kb|k'],
  ['bytes', 2 ** 20, 'mib|mb|megabytes?|megs?|m'],
  ['bytes', 2 ** 30, 'gib|gb|gigabytes?|gigs?|g'],
  ['bytes', 2 ** 40, 'tib|tb'],
  ['ms', 1, 'ms|milliseconds?'],
  ['ms', 1_000, 'seconds?|secs?|s'],
  ['ms', 60_000, 'minutes?|mins?|m'],
  ['ms', 3_600_000, 'hours?|hrs?|h'],
  ['ms', 86_400_000, 'days?|d'],
  ['ms', 604_800_000, 'weeks?|w'],
] as const;
const UNIT = UNITS.map(([, , names]) => names).join('|');

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
/** Numbers written as words. */
export const WORD_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...SMALL.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, place) => [word, 20 + 10 * place] as const),
  ...Object.entries({ a: 1, an: 1, half: 0.5, quarter: 0.25, dozen: 12, hundred: 100, thousand: 1_000 }),
]);

const ADDRESS = /\b(?:https?|ssh|git|file):\/\/[^\s"<>]+|\bgit@[^\s"<>]+|(?<![^\s"'])(?:\/[\w.@+-]+|\.)\/[^\s"<>]+/gi;
const QUOTED = /"([^"]+)"|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu;
const VERSION = /(?<!\/)(?:\bv?\d+(?:\.\d+){2,}(?:[-+][\p{L}\p{N}.-]*[\p{L}\p{N}])?\b|\bv\d+(?:\.\d+)*\b)/giu;
const NUMBER = String.raw`(?<![\p{L}\p{N}.+-])\d+(?:[.,]\d+)?(?:\s?(?:${UNIT})(?![\p{L}\p{N}]))?(?![\p{L}\p{N}]|[.-]\p{N})`;
const QUANTITY = new RegExp(NUMBER, 'giu');
/** A named period without a number, such as "the last hour". */
const PERIOD = /\b(?:last|past|previous|next|coming|following|this|an|one) (minute|hour|day|week)\b/giu;

/** Finds web addresses, repository addresses and absolute paths, without closing punctuation. */
export function findAddresses(text: string): readonly TextValue[] {
  return [...text.matchAll(ADDRESS)].map((match) => createTextValue(match[0].replace(/[.,;:!?)]+$/, ''), match.index));
}

/** Finds paths of web pages, such as /health. */
export function findPaths(text: string): readonly TextValue[] {
  return [...text.matchAll(/(?<![^\s"'])\/[\p{L}\p{N}][^\s"'?!,;]*/gu)].map((match) =>
    createTextValue(match[0], match.index),
  );
}

/** Finds quoted texts; the offsets include the quotes. */
export function findQuoted(text: string): readonly TextValue[] {
  return [...text.matchAll(QUOTED)].map((match) => ({
    value: match[1] ?? match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Finds versions such as 1.4.2 and v3; IP addresses have the same form. */
export function findVersions(text: string): readonly TextValue[] {
  return [...text.matchAll(VERSION)].map((match) => createTextValue(match[0], match.index));
}

/** Finds numbers in digits or words, but not numbers inside names (web-1), versions, addresses or votes (+1). */
export function findQuantities(text: string): readonly Quantity[] {
  const taken = [...findAddresses(text), ...findVersions(text)];
  const digits = [...text.matchAll(QUANTITY)].map((match) => {
    const [, number = '', unit = ''] = /^([\d.,]+)\s?(.*)$/.exec(match[0].toLowerCase()) ?? [];
    const [start, end] = [match.index, match.index + match[0].length];
    return { value: Number(number.replace(',', '.')), unit: unit === '' ? null : unit, start, end };
  });
  const found = [...digits, ...inWords(tokenize(text)), ...periods(text)];
  const kept: Quantity[] = [];
  for (const one of found.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    if ([...taken, ...kept].some(({ start, end }) => one.start < end && one.end > start)) continue;
    kept.push(one);
  }
  return kept;
}

/** Reads numbers in words: "two hours", "half a gig", "a gig and a half", "twenty". A bare "one" is no number. */
function inWords(tokens: readonly Token[]): readonly Quantity[] {
  return tokens.flatMap(({ lower, start, end }, place): readonly Quantity[] => {
    const value = WORD_NUMBERS.get(lower);
    if (value === undefined) return [];
    const skipped = ['a', 'an', 'of'].includes(tokens[place + 1]?.lower ?? '') ? 2 : 1;
    const after = tokens[place + skipped];
    const unit = after && UNIT_WORD.test(after.lower) ? after.lower : null;
    if (unit === null) return value <= 1 ? [] : [{ value, unit, start, end }];
    const half = ['and', 'a', 'half'].every((word, more) => tokens[place + skipped + 1 + more]?.lower === word);
    const last = half ? tokens[place + skipped + 3] : after;
    return [{ value: half ? value + 0.5 : value, unit, start, end: last?.end ?? end }];
  });
}

const UNIT_WORD = new RegExp(`^(?:${UNIT})$`, 'iu');

function periods(text: string): readonly Quantity[] {
  return [...text.matchAll(PERIOD)].map(({ 0: written, 1: word = '', index: start }) => {
    return { value: 1, unit: word.toLowerCase(), start, end: start + written.length };
  });
}

/** Returns the unit at the end of a field name (memoryMb, hours, minutes_ago) in bytes or milliseconds; null when there is none. */
function unitOf(field: string) {
  const words = field
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/_ago$/, '')
    .toLowerCase()
    .split('_');
  const last = words.at(-1) ?? '';
  return last.length < 2 ? null : (UNITS.find(([, , names]) => isOneOf(last, names)) ?? null);
}

function isOneOf(unit: string, names: string): boolean {
  return new RegExp(`^(?:${names})$`, 'i').test(unit);
}

/** True when the name of a field contains a unit. */
export function hasUnit(field: string): boolean {
  return unitOf(field) !== null;
}

/** Converts a quantity to the unit of a field (2 GB becomes 2048 for memoryMb); null for a unit of another dimension. */
export function toUnitOf(field: string, { value, unit }: Quantity): number | null {
  if (unit === null) return value;
  const own = unitOf(field);
  const said = UNITS.find(([dimension, , names]) => dimension === own?.[0] && isOneOf(unit, names));
  return own && said ? Math.round(((value * said[1]) / own[1]) * 1_000) / 1_000 : null;
}

/** Builds a value with its offsets. */
export function createTextValue(value: string, start: number): TextValue {
  return { value, start, end: start + value.length };
}
