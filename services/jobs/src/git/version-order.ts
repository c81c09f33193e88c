/**
 * Orders tags, given newest first: releases by their version, the highest first, then the others as they are. By date, a fix of an old
 * line of releases would be the newest version. Pure.
 */
export function orderTags(tags: readonly string[]): readonly string[] {
  const releases = tags.filter((tag) => RELEASE.test(tag));
  const others = tags.filter((tag) => !RELEASE.test(tag));
  return [...releases.toSorted((one, other) => compareParts(partsOf(other), partsOf(one))), ...others];
}

/** A release: neither a prerelease nor a line of releases, such as `2.1.x`. */
const RELEASE = /^v?\d{1,15}(?:\.\d{1,15}){0,3}$/;

function partsOf(tag: string): readonly number[] {
  return tag.replace(/^v/, '').split('.').map(Number);
}

function compareParts(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
