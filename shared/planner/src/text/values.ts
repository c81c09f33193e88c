import { MS, BYTES, UNITS, UNIT_ENDINGS, WORD_NUMBERS } from './units.ts';
import { type Token, tokenize } from './tokens.ts';

/** A value in a text, and where it stands. */
export interface Found {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A number in a text; `unit` is lower-case, and null when there is none. */
export interface Quantity {
  readonly value: number;
  readonly unit: string | null;
  readonly start: number;
  readonly end: number;
}

const ADDRESS = /\b(?:https?|ssh|git|file):\/\/[^\s"<>]+|\bgit@[^\s"<>]+|(?<![^\s"'])\/[\w.@+-]+\/[^\s"<>]+/gi;
const QUOTED = /"([^"]+)"|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu;
const VERSION = /\bv?\d+(?:\.\d+){2,}(?:[-+][\p{L}\p{N}.-]*[\p{L}\p{N}])?\b|\bv\d+(?:\.\d+)*\b/giu;
const NUMBER = String.raw`(?<![\p{L}\p{N}.+-])\d+(?:[.,]\d+)?(?:\s?(?:${UNITS})(?![\p{L}\p{N}]))?(?![\p{L}\p{N}]|[.-]\p{N})`;
const QUANTITY = new RegExp(NUMBER, 'giu');
/** "the last hour", "today": stretches of time that are named and not counted, in hours. */
const PERIOD = /\b(?:(?:last|past|previous|this|an|one) (minute|hour|day|week|month|night))\b/giu;
const PERIOD_HOURS: Readonly<Record<string, number>> = {
  minute: 1 / 60,
  hour: 1,
  night: 12,
  day: 24,
  week: 168,
  month: 720,
};

/** Web and repository addresses, and folders from the root on, without a closing punctuation mark. */
export function findAddresses(text: string): readonly Found[] {
  return [...text.matchAll(ADDRESS)].map((match) => at(match[0].replace(/[.,;:!?)]+$/, ''), match.index));
}

/** Texts in quotes; the place is that of the quotes. */
export function findQuoted(text: string): readonly Found[] {
  return [...text.matchAll(QUOTED)].map((match) => ({
    value: match[1] ?? match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Versions such as 1.4.2 and v3; IP addresses look the same. */
export function findVersions(text: string): readonly Found[] {
  return [...text.matchAll(VERSION)].map((match) => at(match[0], match.index));
}

/** Numbers that stand alone, in digits or words: not those inside names (web-1), versions (1.4.2) and addresses, and no votes (+1). */
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

/** "two hours", "half a gig", "a gig and a half", "twenty". A bare "one" counts nothing. */
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

const UNIT_WORD = new RegExp(`^(?:${UNITS})$`, 'iu');

function periods(text: string): readonly Quantity[] {
  return [...text.matchAll(PERIOD)].map((match) => {
    const word = (match[1] ?? '').toLowerCase();
    return { value: PERIOD_HOURS[word] ?? 1, unit: 'h', start: match.index, end: match.index + match[0].length };
  });
}

/** The unit at the end of a field's name (memoryMb, hours): its size in bytes or milliseconds; null when it has none. */
function unitOf(field: string) {
  return UNIT_ENDINGS.find(([ending]) => ending.test(field)) ?? null;
}

/** Whether the field counts in a unit that its name tells. */
export function hasUnit(field: string): boolean {
  return unitOf(field) !== null;
}

/** The quantity in the field's own unit (2 GB → 2048 for memoryMb); null when it measures something else. */
export function inUnitOf(field: string, { value, unit }: Quantity): number | null {
  const own = unitOf(field);
  if (unit === null) return value;
  if (!own) return null;
  const [, dimension, size] = own;
  const factor = dimension === 'ms' ? msOf(unit) : bytesOf(unit);
  return factor === undefined ? null : Math.round(((value * factor) / size) * 1_000) / 1_000;
}

function msOf(unit: string): number | undefined {
  if (/^(?:ms|milli)/.test(unit)) return 1;
  return /^(?:s|m$|min|h|d|w)/.test(unit) ? MS.get(unit.charAt(0)) : undefined;
}

function bytesOf(unit: string): number | undefined {
  return /^(?:b|k|g|t|m$|mb|mib|meg)/.test(unit) ? BYTES.get(unit.charAt(0)) : undefined;
}

/** A value and its place. */
export function at(value: string, start: number): Found {
  return { value, start, end: start + value.length };
}
