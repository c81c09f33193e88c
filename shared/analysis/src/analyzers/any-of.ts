/** One expression of several, any of which may match, so that each stays short enough to be read. All have the flags of the first. */
export function anyOf(...parts: readonly [RegExp, ...RegExp[]]): RegExp {
  return new RegExp(parts.map(({ source }) => source).join('|'), parts[0].flags);
}
