import semver from 'semver';

/**
 * Finds the newest line of Node in `lines` that a range such as `18.x || 20.x` allows. Null when the range allows the version `here`, when
 * it is no range, and when no line fits. Pure.
 */
export function findWantedLine(range: string, here: string, lines: readonly number[]): number | null {
  if (semver.validRange(range) === null || semver.satisfies(here, range)) return null;
  return lines.toSorted((one, other) => other - one).find((line) => semver.intersects(`${line}.x`, range)) ?? null;
}
