import type { Field } from './schema.ts';

/** Numbers, sizes, times and addresses in a text, and how they become the number that a field wants. */

/** A number in a text; `unit` is lower-case, and null when there is none. */
export interface Quantity {
  readonly value: number;
  readonly unit: string | null;
  readonly start: number;
  readonly end: number;
}

const UNITS =
  'kib|mib|gib|tib|kb|mb|gb|tb|gigabytes?|megabytes?|gigs?|megs?|bytes?|g|m|k|ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|min|hours?|hrs?|h|days?|d|percent|%';
const QUANTITY = new RegExp(
  String.raw`(?<![\p{L}\p{N}.-])(\d+(?:[.,]\d+)?)(?:\s?(${UNITS})(?![\p{L}\p{N}]))?(?![\p{L}\p{N}]|[.-]\p{N})`,
  'giu',
);
const ADDRESS = /\b(?:https?|ssh|git):\/\/[^\s"<>]+|\bgit@[^\s"<>]+/gi;
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
]);
/** The unit at the end of a field's name, such as memoryMb or timeoutSeconds. */
const FIELD_UNITS: readonly (readonly [RegExp, 'bytes' | 'ms', number])[] = [
  [/(?:Mb|Mib|_mb|Megabytes)$/, 'bytes', 2 ** 20],
  [/(?:Gb|Gib|_gb|Gigabytes)$/, 'bytes', 2 ** 30],
  [/(?:Kb|Kib|_kb|Kilobytes)$/, 'bytes', 2 ** 10],
  [/(?:Bytes|_bytes)$/, 'bytes', 1],
  [/(?:Ms|_ms|Milliseconds)$/, 'ms', 1],
  [/(?:Seconds|Secs|_s|_seconds)$/, 'ms', 1_000],
  [/(?:Minutes|_minutes)$/, 'ms', 60_000],
  [/(?:Hours|_hours)$/, 'ms', 3_600_000],
  [/(?:Days|_days)$/, 'ms', 86_400_000],
];

/** All numbers that stand alone: not those inside names (web-1), versions (1.4.2) and addresses. */
export function findQuantities(text: string): readonly Quantity[] {
  const versions = [...text.matchAll(VERSION)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const taken = [...findAddresses(text), ...versions];
  return [...text.matchAll(QUANTITY)]
    .map((match) => ({
      value: Number((match[1] ?? '').replace(',', '.')),
      unit: match[2]?.toLowerCase() ?? null,
      start: match.index,
      end: match.index + match[0].length,
    }))
    .filter(({ start }) => !taken.some((other) => start >= other.start && start < other.end));
}

/** Web and repository addresses, without a closing punctuation mark. */
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
  return text
    .replace(ADDRESS, ' ¤url ')
    .replace(QUOTED, ' ¤quoted ')
    .replace(VERSION, ' ¤version ')
    .replace(QUANTITY, (_, __, unit: string | undefined) => (unit ? ' ¤size ' : ' ¤number '));
}

function bytesOf(unit: string): number | null {
  if (/^(?:ms|milli|s|sec|min|h|d|%|percent)/.test(unit)) return null;
  return BYTES.get(unit.charAt(0)) ?? null;
}

function msOf(unit: string): number | null {
  if (/^(?:ms|milli)/.test(unit)) return 1;
  if (/^(?:mb|mib|meg|g|k|t|b|%|percent)/.test(unit)) return null;
  return MS.get(unit.charAt(0)) ?? null;
}
