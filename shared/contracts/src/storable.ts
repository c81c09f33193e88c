/* Postgres cannot store NUL or unpaired surrogates in text and JSON columns, but models and programs may write both. */

/** Replaces characters that Postgres cannot store by U+FFFD, in keys too. */
export function makeStorable<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD') as T & string; // a string stays a string
  if (Array.isArray(value)) return value.map(makeStorable) as T & unknown[]; // an array stays an array
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value; // dates and other values with toJSON
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [makeStorable(key), makeStorable(member)]),
  ) as T; // an object keeps its keys
}

/** Describes the first text in a value that Postgres cannot store, with its path; null when all texts can be stored. */
export function findUnstorable(value: unknown, path = 'arguments'): string | null {
  if (typeof value === 'string') return describe(value, path);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const memberPath = `${path}.${makeStorable(key)}`;
    const problem = describe(key, `the name ${memberPath}`) ?? findUnstorable(member, memberPath);
    if (problem !== null) return problem;
  }
  return null;
}

function describe(text: string, path: string): string | null {
  const nul = text.indexOf('\0');
  if (nul !== -1) return `${path} has a NUL character (U+0000) at ${nul}; leave it out`;
  if (text.isWellFormed()) return null;
  return `${path} has half a surrogate pair, which is no character; leave it out`;
}
