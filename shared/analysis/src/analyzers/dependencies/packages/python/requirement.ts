import type { PackageOrigin, Dependency } from '../package.ts';

/** Parses a PEP 508 requirement, `name[extra] >=1,<2 ; marker` or `name @ address`; null for other text. */
export function readRequirement(text: string): Dependency | null {
  const line = text.slice(0, MAX_LINE_LENGTH).trim();
  const [, given = '', rest = ''] = /^([A-Za-z\d][\w.-]*)\s*(?:\[[^\]]*\]\s*)?(.*)$/s.exec(line) ?? [];
  if (given === '') return null;
  const name = normalizeName(given);
  if (rest.startsWith('@'))
    return { name, range: null, origin: readPackageOrigin(rest.slice(1).trim().split(/\s/)[0] ?? '') };
  const range = (rest.split(';')[0] ?? '').replaceAll(/[()\s]/g, '').replace(/--hash=.*$/s, '');
  if (range !== '' && !/^[<>=!~]/.test(range)) return null;
  // A marker after `;` may restrict the requirement to other platforms.
  return { name, range, ...(rest.includes(';') ? { isOptional: true } : {}) };
}

/** Normalizes a Python package name: lower case, with `-` for dots and underscores (PEP 503). */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** Parses the address of a requirement: `git+https://…@ref`, another address or a path. */
export function readPackageOrigin(address: string): PackageOrigin {
  if (/^(?:git|hg|svn|bzr)\+/.test(address))
    return { kind: 'git', at: address, isPinned: /@[0-9a-f]{40}(?:#|$)/i.test(address) };
  if (/^https?:/.test(address)) return { kind: 'url', at: address, isPinned: /#sha\d+=/.test(address) };
  return { kind: 'path', at: address.replace(/^file:(?:\/\/)?/, ''), isPinned: true };
}

const MAX_LINE_LENGTH = 2_000;
