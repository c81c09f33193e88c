import type { Ecosystem } from '../../advisory-source.ts';
import {
  compare as comparePep440,
  satisfies as satisfiesPep440,
  valid as validVersion,
  validRange as validPep440,
} from '@renovatebot/pep440';
import semver from 'semver';
import { normalizeName } from './packages/python/requirement.ts';

const MAX_VERSION_LENGTH = 200;

/** True when a range allows a version. A range that cannot be parsed, such as a tag, allows every version. */
export function satisfiesRange(ecosystem: Ecosystem, version: string, range: string): boolean {
  if (range.length > MAX_VERSION_LENGTH || version.length > MAX_VERSION_LENGTH) return true;
  switch (ecosystem) {
    case 'npm':
      return satisfiesSemver(version, range);
    case 'crates.io':
      return satisfiesSemver(version, cargoRange(range));
    case 'PyPI':
      return satisfiesPython(version, range);
    case 'Go':
      return version === range;
    // The manifests of these ecosystems are not compared with their lock files.
    case 'RubyGems':
    case 'Packagist':
    case 'Maven':
    case 'NuGet':
      return true;
  }
}

function satisfiesSemver(version: string, range: string): boolean {
  if (semver.validRange(range, { loose: true }) === null || semver.valid(version, { loose: true }) === null)
    return true;
  // Prereleases count, because a dependency with a tag may be locked to a prerelease.
  return semver.satisfies(version, range, { loose: true, includePrerelease: true });
}

/** Converts a Cargo range: `1.2` means `^1.2`, and a comma means “and”. */
function cargoRange(range: string): string {
  return range
    .split(',')
    .map((part) => part.trim())
    .map((part) => (/^\d[^*]*$/.test(part) ? `^${part}` : part))
    .join(' ');
}

/** Checks a Python version with PEP 440, and with the caret and tilde ranges of Poetry. */
function satisfiesPython(version: string, range: string): boolean {
  const plain = range.replaceAll(/\s/g, '');
  if (plain === '' || plain === '*') return true;
  return plain.split('||').some((part) => {
    const specifier = part.split(',').map(poetryPart).join(',');
    return validPep440(specifier) === true ? satisfiesPep440(version, specifier, { prereleases: true }) : true;
  });
}

function poetryPart(part: string): string {
  const [, sign = '', release = '', rest = ''] = /^(\^|~(?!=)|)(\d[\d.]*)(.*)$/s.exec(part) ?? [];
  if (release === '') return part;
  if (sign === '') return `==${release}${rest}`;
  const parts = release.split('.').map(Number);
  // A caret range allows changes after the first non-zero part of the version, a tilde range in the last part.
  const firstOfWeight = parts.findIndex((one) => one !== 0);
  const ofCaret = firstOfWeight < 0 ? parts.length - 1 : firstOfWeight;
  const at = sign === '^' ? ofCaret : Math.min(1, parts.length - 1);
  const next = parts.slice(0, at + 1).map((one, index) => (index === at ? one + 1 : one));
  return `>=${release}${rest},<${next.join('.')}`;
}

/** Compares two versions for sorting; versions that cannot be parsed come first. */
export function compareVersions(ecosystem: Ecosystem, one: string, other: string): number {
  if (ecosystem === 'PyPI') {
    const [a, b] = [one, other].map((version) =>
      version.length <= MAX_VERSION_LENGTH && validVersion(version) !== null ? version : '0',
    );
    return comparePep440(a ?? '0', b ?? '0');
  }
  if (ecosystem === 'RubyGems' || ecosystem === 'Packagist' || ecosystem === 'Maven' || ecosystem === 'NuGet')
    return compareParts(one.slice(0, MAX_VERSION_LENGTH), other.slice(0, MAX_VERSION_LENGTH));
  const read = (version: string): semver.SemVer =>
    semver.parse(version.replace(/^v/, ''), { loose: true }) ??
    semver.coerce(version.slice(0, MAX_VERSION_LENGTH)) ??
    new semver.SemVer('0.0.0');
  return semver.compare(read(one), read(other));
}

/** Qualifiers in the order of Maven, which the other ecosystems share: those before the release are lower, those after it higher. */
const QUALIFIERS = ['dev', 'alpha', 'a', 'beta', 'b', 'milestone', 'm', 'preview', 'pre', 'rc', 'cr', 'snapshot'];
const RELEASES = new Set(['', 'ga', 'final', 'release']);

/** Compares versions part by part: numbers by value, a missing part as 0, and a qualifier such as `rc1` before its release. */
function compareParts(one: string, other: string): number {
  const [a, b] = [toParts(one), toParts(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = rankPart(a[at] ?? '') - rankPart(b[at] ?? '');
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

function toParts(version: string): readonly string[] {
  const [release = ''] = version
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .split('+');
  return release.match(/\d+|[a-z]+/g)?.filter((part) => !RELEASES.has(part)) ?? [];
}

/** Ranks a part: qualifiers below zero, then a missing part and `0`, other words such as `sp` and `jre`, and numbers. */
function rankPart(part: string): number {
  if (part === '') return 0;
  if (/^\d/.test(part)) return Number(part);
  const before = QUALIFIERS.indexOf(part);
  return before < 0 ? 0.5 : before - QUALIFIERS.length;
}

/** True when two names mean the same package. `ecosystem` may have a suffix, as in OSV. */
export function isSamePackage(
  one: { readonly ecosystem: Ecosystem; readonly name: string },
  other: { readonly ecosystem: string; readonly name: string },
): boolean {
  if (other.ecosystem.split(':')[0] !== one.ecosystem) return false;
  if (one.ecosystem === 'PyPI') return one.name === normalizeName(other.name);
  // These two registries do not tell upper and lower case apart.
  if (one.ecosystem === 'NuGet' || one.ecosystem === 'Packagist')
    return one.name.toLowerCase() === other.name.toLowerCase();
  return one.name === other.name;
}
