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
  const read = (version: string): semver.SemVer =>
    semver.parse(version.replace(/^v/, ''), { loose: true }) ??
    semver.coerce(version.slice(0, MAX_VERSION_LENGTH)) ??
    new semver.SemVer('0.0.0');
  return semver.compare(read(one), read(other));
}

/** True when two names mean the same package. `ecosystem` may have a suffix, as in OSV. */
export function isSamePackage(
  one: { readonly ecosystem: Ecosystem; readonly name: string },
  other: { readonly ecosystem: string; readonly name: string },
): boolean {
  if (other.ecosystem.split(':')[0] !== one.ecosystem) return false;
  return one.name === (one.ecosystem === 'PyPI' ? normalizeName(other.name) : other.name);
}
