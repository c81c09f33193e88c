import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's base 32: no i, l, o, u to misread

/**
 * A new id such as `turn_01k9…`: prefix, 10 characters of milliseconds, 10 random ones.
 * Ids of one prefix sort by the time they were made.
 */
export function newId(prefix: string, nowMs: number = Date.now()): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let random = '';
  for (const byte of randomBytes(10)) random += ALPHABET[byte % 32];
  return `${prefix}_${time}${random}`;
}

/** A short code that a person can type: `groups` groups of four characters, 20 bits each. */
export function newCode(groups: number): string {
  const parts = Array.from({ length: groups }, () => [...randomBytes(4)].map((byte) => ALPHABET[byte % 32]).join(''));
  return parts.join('-').toUpperCase();
}
