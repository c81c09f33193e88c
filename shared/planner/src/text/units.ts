/** Units as people write them; the longest of those that begin alike stands first. */
export const UNITS =
  'kib|mib|gib|tib|kb|mb|gb|tb|gigabytes?|megabytes?|gigs?|megs?|bytes?|g|ms|milliseconds?|minutes?|mins?|m|k|' +
  'seconds?|secs?|s|hours?|hrs?|h|days?|d|weeks?|w';

/** By its first letter, what a unit of memory counts in bytes. */
export const BYTES: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['k', 2 ** 10],
  ['m', 2 ** 20],
  ['g', 2 ** 30],
  ['t', 2 ** 40],
]);

/** By its first letter, what a unit of time counts in milliseconds. */
export const MS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** The unit at the end of a field's name, such as memoryMb or timeoutSeconds; a name may be nothing but a unit: hours. */
export const UNIT_ENDINGS: readonly (readonly [RegExp, 'bytes' | 'ms', number])[] = [
  [/(?:Mb|_mb)$/, 'bytes', 2 ** 20],
  [/(?:Gb|_gb)$/, 'bytes', 2 ** 30],
  [/(?:Bytes|_bytes)$/, 'bytes', 1],
  [/(?:Ms|_ms)$/, 'ms', 1],
  [/(?:^seconds|Seconds|_seconds)$/, 'ms', 1_000],
  [/(?:^minutes|Minutes|_minutes|_minutes_ago)$/, 'ms', 60_000],
  [/(?:^hours|Hours|_hours)$/, 'ms', 3_600_000],
  [/(?:^days|Days|_days)$/, 'ms', 86_400_000],
];

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';

/** Numbers in words. */
export const WORD_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...SMALL.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, place) => [word, 20 + 10 * place] as const),
  ['a', 1],
  ['an', 1],
  ['half', 0.5],
  ['quarter', 0.25],
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1_000],
]);
