import { createHash } from 'node:crypto';

/**
 * Formats canonical JSON (RFC 8785): keys sorted by UTF-16 units, no spaces, numbers as in ECMAScript, so that equal values give equal
 * bytes. Throws for values without a JSON form: NaN, undefined outside of an object, unpaired surrogates.
 */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    if ('toJSON' in value && typeof value.toJSON === 'function') return toCanonicalJson(value.toJSON());
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    // String comparison uses UTF-16 units, as the standard requires.
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${toCanonicalJson(key)}:${toCanonicalJson(member)}`).join(',')}}`;
  }
  if (typeof value === 'string' && !value.isWellFormed())
    throw new TypeError('half a surrogate pair has no canonical form');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
  if (value !== null && !['string', 'number', 'boolean'].includes(typeof value))
    throw new TypeError(`${typeof value} has no canonical form`);
  return JSON.stringify(value);
}

/** Returns the SHA-256 of the canonical JSON as 64 hexadecimal digits. */
export function hashCanonical(value: unknown): string {
  return sha256(toCanonicalJson(value));
}

/** Returns the SHA-256 of a text in UTF-8 as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
