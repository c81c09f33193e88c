/** Digits of base 64, six bits each. A line hash has 24 bits and a line number 18. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const HASH_DIGITS = 4;
const NUMBER_DIGITS = 3;
const STEP = HASH_DIGITS + NUMBER_DIGITS;
const VALUE_OF = new Int32Array(128);
for (let value = 0; value < DIGITS.length; value += 1) VALUE_OF[DIGITS.charCodeAt(value)] = value;

/** Hashes of the compared lines of a file, with their line numbers. */
export interface HashedLines {
  readonly hashes: Int32Array;
  readonly numbers: Int32Array;
}

/** Packs lines into one string, which needs a third of the cache space of a number list. */
export function packLines(lines: readonly { readonly hash: number; readonly number: number }[]): string {
  return lines.map(({ hash, number }) => toDigits(hash, HASH_DIGITS) + toDigits(number, NUMBER_DIGITS)).join('');
}

export function unpackLines(packed: string): HashedLines {
  const count = Math.floor(packed.length / STEP);
  const hashes = new Int32Array(count);
  const numbers = new Int32Array(count);
  for (let index = 0; index < count; index += 1) {
    hashes[index] = toNumber(packed, index * STEP, HASH_DIGITS);
    numbers[index] = toNumber(packed, index * STEP + HASH_DIGITS, NUMBER_DIGITS);
  }
  return { hashes, numbers };
}

/** Lengths of a packed fingerprint: 48 bits of hash, then the line index. */
export const FINGERPRINT_DIGITS = { hash: 2 * HASH_DIGITS, whole: 2 * HASH_DIGITS + NUMBER_DIGITS } as const;

export function packFingerprints(prints: readonly { readonly hash: number; readonly index: number }[]): string {
  return prints
    .map(({ hash, index }) => {
      const high = Math.floor(hash / 0x1000000) & 0xffffff;
      return toDigits(high, HASH_DIGITS) + toDigits(hash % 0x1000000, HASH_DIGITS) + toDigits(index, NUMBER_DIGITS);
    })
    .join('');
}

export function readFingerprintIndex(packed: string, from: number): number {
  return toNumber(packed, from + FINGERPRINT_DIGITS.hash, NUMBER_DIGITS);
}

/** Hashes a line with FNV-1a to 24 bits. Collisions are harmless, because several lines are compared together. */
export function hashLine(line: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < line.length; at += 1) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 24)) & 0xffffff;
}

function toDigits(value: number, count: number): string {
  let digits = '';
  for (let shift = 6 * (count - 1); shift >= 0; shift -= 6) digits += DIGITS.charAt((value >> shift) & 63);
  return digits;
}

function toNumber(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at += 1) value = (value << 6) | (VALUE_OF[text.charCodeAt(at)] ?? 0);
  return value;
}
