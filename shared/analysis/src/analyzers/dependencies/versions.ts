import type { Ecosystem } from '../../advisory-source.ts';
import {
  compare as comparePep440,
  satisfies as satisfiesPep440,
  valid as validVersion,
  validRange as validPep440,
} from '@renovatebot/pep440';
import semver from 'semver';
import { normalName } from './packages/python/requirement.ts';

/** Longer texts are no versions. */
const LIMIT = 200;

/** Whether a version is one that a range allows. A range that cannot be read, such as a tag, allows every version. */
export function satisfiesRange(ecosystem: Ecosystem, version: string, range: string): boolean {
  if (range.length > LIMIT || version.length > LIMIT) return true;
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
  // What came before a release is only allowed where a range says so; a lock file may have it all the same, by a tag.
  return semver.satisfies(version, range, { loose: true, includePrerelease: true });
}

/** `1.2` means `^1.2`, and commas mean that both have to hold. */
function cargoRange(range: string): string {
  return range
    .split(',')
    .map((part) => part.trim())
    .map((part) => (/^\d[^*]*$/.test(part) ? `^${part}` : part))
    .join(' ');
}

/** As PEP 440 says, besides the carets and tildes of Poetry. */
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
  // A caret lets everything change right of the first part that is not zero, a tilde the last part.
  const firstOfWeight = parts.findIndex((one) => one !== 0);
  const ofCaret = firstOfWeight < 0 ? parts.length - 1 : firstOfWeight;
  const at = sign === '^' ? ofCaret : Math.min(1, parts.length - 1);
  const next = parts.slice(0, at + 1).map((one, index) => (index === at ? one + 1 : one));
  return `>=${release}${rest},<${next.join('.')}`;
}

/** Which of two versions is later: below zero, zero or above, as `sort` wants it. What cannot be read comes first. */
export function compareVersions(ecosystem: Ecosystem, one: string, other: string): number {
  if (ecosystem === 'PyPI') {
    const [a, b] = [one, other].map((version) =>
      version.length <= LIMIT && validVersion(version) !== null ? version : '0',
    );
    return comparePep440(a ?? '0', b ?? '0');
  }
  const read = (version: string): semver.SemVer =>
    semver.parse(version.replace(/^v/, ''), { loose: true }) ??
    semver.coerce(version.slice(0, LIMIT)) ??
    new semver.SemVer('0.0.0');
  return semver.compare(read(one), read(other));
}

/** Whether two names are of one package, by the rules of its registry. `ecosystem` may have a suffix, as OSV writes it. */
export function samePackage(
  one: { readonly ecosystem: Ecosystem; readonly name: string },
  other: { readonly ecosystem: string; readonly name: string },
): boolean {
  if (other.ecosystem.split(':')[0] !== one.ecosystem) return false;
  return one.name === (one.ecosystem === 'PyPI' ? normalName(other.name) : other.name);
}
