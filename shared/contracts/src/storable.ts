/*
 * Text that Postgres can hold, in a column of text as in JSON: Unicode without NUL and without half a surrogate pair. Everything else
 * that a model or a program writes is text.
 */

/** The same value with U+FFFD for what cannot be stored, in keys as well. */
export function makeStorable<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD') as T & string; // a string stays one
  if (Array.isArray(value)) return value.map(makeStorable) as T & unknown[]; // as does an array
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value; // what writes itself as JSON, such as a date
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [makeStorable(key), makeStorable(member)]),
  ) as T; // and a record
}

/** Where in a value something stands that cannot be stored, and what it is, in words that can be; null when all of it can be. */
export function findUnstorable(value: unknown, path = 'arguments'): string | null {
  if (typeof value === 'string') return describe(value, path);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const place = `${path}.${makeStorable(key)}`;
    const found = describe(key, `the name ${place}`) ?? findUnstorable(member, place);
    if (found !== null) return found;
  }
  return null;
}

function describe(text: string, path: string): string | null {
  const nul = text.indexOf('\0');
  if (nul !== -1) return `${path} has a NUL character (U+0000) at ${nul}; leave it out`;
  if (text.isWellFormed()) return null;
  return `${path} has half a surrogate pair, which is no character; leave it out`;
}
