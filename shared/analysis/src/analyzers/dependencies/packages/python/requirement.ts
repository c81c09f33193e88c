import type { Origin, Wanted } from '../package.ts';

/** One dependency as PEP 508 writes it: `name[extra] >=1,<2 ; marker` or `name @ address`. Null where it is something else. */
export function readRequirement(text: string): Wanted | null {
  const line = text.slice(0, MAX_LINE_LENGTH).trim();
  const [, given = '', rest = ''] = /^([A-Za-z\d][\w.-]*)\s*(?:\[[^\]]*\]\s*)?(.*)$/s.exec(line) ?? [];
  if (given === '') return null;
  const name = normalName(given);
  if (rest.startsWith('@'))
    return { name, range: null, origin: readAddress(rest.slice(1).trim().split(/\s/)[0] ?? '') };
  const range = (rest.split(';')[0] ?? '').replaceAll(/[()\s]/g, '').replace(/--hash=.*$/s, '');
  if (range !== '' && !/^[<>=!~]/.test(range)) return null;
  // With a condition it may be for other machines only.
  return { name, range, ...(rest.includes(';') ? { isOptional: true } : {}) };
}

/** Names that differ in case and in dashes, dots and underscores are the same (PEP 503). */
export function normalName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** Where `git+https://…@ref`, an address or a path leads. */
export function readAddress(address: string): Origin {
  if (/^(?:git|hg|svn|bzr)\+/.test(address))
    return { kind: 'git', at: address, isPinned: /@[0-9a-f]{40}(?:#|$)/i.test(address) };
  if (/^https?:/.test(address)) return { kind: 'url', at: address, isPinned: /#sha\d+=/.test(address) };
  return { kind: 'path', at: address.replace(/^file:(?:\/\/)?/, ''), isPinned: true };
}

const MAX_LINE_LENGTH = 2_000;
