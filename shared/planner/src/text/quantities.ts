import { findWordNumbers } from './number-words.ts';
import type { Field } from '../slots/schema.ts';

/** Numbers, sizes, times and addresses in a text, and how they become the number that a field wants. */

/** A number in a text; `unit` is lower-case, and null when there is none. */
export interface Quantity {
  readonly value: number;
  readonly unit: string | null;
  readonly start: number;
  readonly end: number;
}

const UNITS =
  'kib|mib|gib|tib|kb|mb|gb|tb|gigabytes?|megabytes?|giga|mega|gigs?|megs?|bytes?|g|m|k|ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|min|hours?|hrs?|h|days?|d|weeks?|w|percent|%';
const QUANTITY = new RegExp(
  String.raw`(?<![\p{L}\p{N}.-])(\d+(?:[.,]\d+)?)(?:\s?(${UNITS})(?![\p{L}\p{N}]))?(?![\p{L}\p{N}]|[.-]\p{N})`,
  'giu',
);
const UNIT_WORDS =
  'kilobytes?|megabytes?|gigabytes?|gigs?|megs?|gb|mb|tb|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?';
const UNIT_AFTER = new RegExp(String.raw`^[ -]?(?:of )?(?:an? )?(${UNIT_WORDS})(?![\p{L}\p{N}])`, 'iu');
/** "a gig", "an hour", "a gig and a half"; "the last hour" is a stretch of time. */
const ARTICLE_UNIT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:an?|one) (${UNIT_WORDS})(?![\p{L}\p{N}])( and a half)?`,
  'giu',
);
const PERIOD =
  /(?<![\p{L}\p{N}])(?:(?:the |this |in the |of the )*(?:last|past|previous)(?: (?:one|full|whole))? (minute|hour|day|week|month|night)|(today|yesterday)|this (week|month|morning))(?![\p{L}\p{N}])/giu;
const PERIOD_HOURS: ReadonlyMap<string, number> = new Map([
  ['minute', 1 / 60],
  ['hour', 1],
  ['night', 12],
  ['morning', 12],
  ['day', 24],
  ['today', 24],
  ['yesterday', 48],
  ['week', 168],
  ['month', 720],
]);
const ADDRESS = /\b(?:https?|ssh|git|file):\/\/[^\s"<>]+|\bgit@[^\s"<>]+|(?<![^\s"'])\/[\w.@+-]+\/[^\s"<>]+/gi;
const VERSION = /\bv?\d+(?:\.\d+){2,}\b|\bv\d+(?:\.\d+)*\b/gi;
const QUOTED = /"([^"]+)"|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu;

const BYTES: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['k', 2 ** 10],
  ['m', 2 ** 20],
  ['g', 2 ** 30],
  ['t', 2 ** 40],
]);
const MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);
/** The unit at the end of a field's name, such as memoryMb or timeoutSeconds; a name may be nothing but a unit: hours. */
const FIELD_UNITS: readonly (readonly [RegExp, 'bytes' | 'ms', number])[] = [
  [/(?:Mb|Mib|_mb|Megabytes)$/, 'bytes', 2 ** 20],
  [/(?:Gb|Gib|_gb|Gigabytes)$/, 'bytes', 2 ** 30],
  [/(?:Kb|Kib|_kb|Kilobytes)$/, 'bytes', 2 ** 10],
  [/(?:Bytes|_bytes)$/, 'bytes', 1],
  [/(?:Ms|_ms|Milliseconds)$/, 'ms', 1],
  [/(?:^seconds|Seconds|Secs|_s|_seconds)$/, 'ms', 1_000],
  [/(?:^minutes|Minutes|_minutes)$/, 'ms', 60_000],
  [/(?:^hours|Hours|_hours)$/, 'ms', 3_600_000],
  [/(?:^days|Days|_days)$/, 'ms', 86_400_000],
];

/** All numbers that stand alone, in digits or words: not those inside names (web-1), versions (1.4.2) and addresses. */
export function findQuantities(text: string): readonly Quantity[] {
  const taken: Span[] = [...findAddresses(text), ...findVersions(text)];
  const free = ({ start, end }: Span): boolean => taken.every((other) => end <= other.start || start >= other.end);
  const found = [
    ...[...text.matchAll(QUANTITY)].map((match) => ({
      value: Number((match[1] ?? '').replace(',', '.')),
      unit: match[2]?.toLowerCase() ?? null,
      start: match.index,
      end: match.index + match[0].length,
    })),
    ...findWritten(text),
    ...findPeriods(text),
  ];
  const kept: Quantity[] = [];
  for (const quantity of found.sort((left, right) => left.start - right.start || right.end - left.end)) {
    if (!free(quantity)) continue;
    taken.push(quantity);
    kept.push(quantity);
  }
  return kept;
}

/** Numbers in words with their unit: "half a gig", "a gig and a half", "two gigs", "twenty". A bare "one" counts nothing. */
function findWritten(text: string): readonly Quantity[] {
  const numbers = findWordNumbers(text).flatMap(({ value, start, end, weak }): readonly Quantity[] => {
    const [after, unit = null] = UNIT_AFTER.exec(text.slice(end)) ?? [];
    if (after === undefined) return weak ? [] : [{ value, unit: null, start, end }];
    return [{ value, unit: unit?.toLowerCase() ?? null, start, end: end + after.length }];
  });
  const articles = [...text.matchAll(ARTICLE_UNIT)].map((match) => ({
    value: match[2] === undefined ? 1 : 1.5,
    unit: (match[1] ?? '').toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  return [...articles, ...numbers];
}

/** Stretches of time that are named and not counted: the last hour, today. */
function findPeriods(text: string): readonly Quantity[] {
  return [...text.matchAll(PERIOD)].map((match) => {
    const word = (match[1] ?? match[2] ?? match[3] ?? '').toLowerCase();
    const hours = PERIOD_HOURS.get(word) ?? 1;
    return { value: hours, unit: 'h', start: match.index, end: match.index + match[0].length };
  });
}

/** Versions such as 1.4.2 and v3; IP addresses look the same. */
export function findVersions(
  text: string,
): readonly { readonly value: string; readonly start: number; readonly end: number }[] {
  return [...text.matchAll(VERSION)].map((match) => ({
    value: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Web and repository addresses, and folders from the root on, without a closing punctuation mark. */
export function findAddresses(
  text: string,
): readonly { readonly value: string; readonly start: number; readonly end: number }[] {
  return [...text.matchAll(ADDRESS)].map((match) => {
    const value = match[0].replace(/[.,;:!?)]+$/, '');
    return { value, start: match.index, end: match.index + value.length };
  });
}

/** Texts in quotes, with the quotes' place. */
export function findQuoted(
  text: string,
): readonly { readonly value: string; readonly start: number; readonly end: number }[] {
  return [...text.matchAll(QUOTED)].map((match) => ({
    value: (match[1] ?? match[2] ?? '').trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Whether the field holds an address such as https://… or git@…. */
export function takesAddress(field: Field): boolean {
  return field.type === 'string' && (field.rules.format === 'uri' || /repo|url|link/i.test(field.name));
}

/** Whether the field counts in a unit that its name tells. */
export function hasUnit(field: string): boolean {
  return FIELD_UNITS.some(([ending]) => ending.test(field));
}

/** The quantity in the field's own unit (2 GB → 2048 for memoryMb); null when it measures something else. */
export function inUnitOf(field: string, { value, unit }: Quantity): number | null {
  const own = FIELD_UNITS.find(([ending]) => ending.test(field));
  if (unit === null) return value;
  if (!own) return null;
  const [, dimension, size] = own;
  const factor = dimension === 'bytes' ? bytesOf(unit) : msOf(unit);
  return factor === null ? null : Math.round(((value * factor) / size) * 1_000) / 1_000;
}

/** The text with numbers, sizes, versions, addresses and quotes replaced by placeholders, for comparing it with hints. */
export function withValuePlaceholders(text: string): string {
  const values = [
    ...findAddresses(text).map((span) => ({ ...span, as: '¤url' })),
    ...findQuoted(text).map((span) => ({ ...span, as: '¤quoted' })),
    ...[...text.matchAll(HOST)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      as: '¤host',
    })),
    ...findVersions(text).map((span) => ({ ...span, as: '¤version' })),
    ...[...text.matchAll(BRANCH)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      as: '¤version',
    })),
    ...findQuantities(text).map((span) => ({ ...span, as: placeholderOf(span, text) })),
    ...[...text.matchAll(PROGRAM_NAME)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      as: '¤program',
    })),
  ].sort((left, right) => left.start - right.start || right.end - left.end);
  let result = '';
  let at = 0;
  for (const { start, end, as } of values) {
    if (start < at) continue;
    result += `${text.slice(at, start)} ${as} `;
    at = end;
  }
  return result + text.slice(at);
}

/** 2.1 is rather a version than a number of anything. */
function placeholderOf({ unit, start, end }: Quantity, text: string): string {
  if (unit !== null) return '¤size';
  return /^\d+\.\d+$/.test(text.slice(start, end)) ? '¤version' : '¤number';
}

/** intent_parser: parts of programs are named like that, and nothing else is. */
const PROGRAM_NAME = /(?<![\p{L}\p{N}_¤§-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\p{L}\p{N}_-])/giu;

/** IP addresses and names of machines with a common ending. */
const HOST =
  /(?<![\p{L}\p{N}.-])(?:\d{1,3}(?:\.\d{1,3}){3}|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.(?:com|net|org|example|internal|local|lan|home|corp|cloud|io|dev|de|uk|eu|fr|test|intra|intern))(?![\p{L}\p{N}-])/giu;

/** "the main branch", "tag release-12": code of a certain state is a version like any other. */
const BRANCH =
  /(?<![\p{L}\p{N}])(?!(?:the|a|an|this|that|my|our|new|which|what|every|each) )[\p{L}\p{N}][\w./-]* branch\b|\b(?:branch|tag) [\p{L}\p{N}][\w./-]*[\d/_-][\w./-]*/giu;

interface Span {
  readonly start: number;
  readonly end: number;
}

function bytesOf(unit: string): number | null {
  if (/^(?:ms|milli|s|sec|min|h|d|w|%|percent)/.test(unit)) return null;
  return BYTES.get(unit.charAt(0)) ?? null;
}

function msOf(unit: string): number | null {
  if (/^(?:ms|milli)/.test(unit)) return 1;
  if (/^(?:mb|mib|meg|g|k|t|b|%|percent)/.test(unit)) return null;
  return MS.get(unit.charAt(0)) ?? null;
}
