import { createHash } from 'node:crypto';

/**
 * Formats canonical JSON (RFC 8785): keys sorted by UTF-16 units, no spaces, numbers as in ECMAScript, so that equal values give equal
 * bytes. Throws for values without a JSON form: NaN, undefined outside of an object, unpaired surrogates.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value === 'string') return toCanonicalText(value);
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
    if ('toJSON' in value && typeof value.toJSON === 'function') return toCanonicalJson(value.toJSON());
    return toCanonicalObject(value as Readonly<Record<string, unknown>>); // neither an array nor null
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
  if (value !== null && typeof value !== 'number' && typeof value !== 'boolean')
    throw new TypeError(`${typeof value} has no canonical form`);
  return String(value);
}

/** Every record of a turn passes here several times, so nothing is allocated per member but its text. */
function toCanonicalObject(value: Readonly<Record<string, unknown>>): string {
  let json = '';
  // Strings are sorted by UTF-16 units, as the standard requires.
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    json += `${json === '' ? '' : ','}${toCanonicalText(key)}:${toCanonicalJson(member)}`;
  }
  return `{${json}}`;
}

function toCanonicalText(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('half a surrogate pair has no canonical form');
  return JSON.stringify(text);
}

/** Returns the SHA-256 of the canonical JSON as 64 hexadecimal digits. */
export function hashCanonical(value: unknown): string {
  return sha256(toCanonicalJson(value));
}

/** Returns the SHA-256 of a text in UTF-8 as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
