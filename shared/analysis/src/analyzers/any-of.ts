/** Joins regular expressions as alternatives, with the flags of the first. */
export function joinPatterns(...parts: readonly [RegExp, ...RegExp[]]): RegExp {
  return new RegExp(parts.map(({ source }) => source).join('|'), parts[0].flags);
}
