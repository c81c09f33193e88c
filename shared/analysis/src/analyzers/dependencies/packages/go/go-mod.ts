import { createLockFileFacts, createManifestFacts } from '../package.ts';
import type { LockFileFacts, LockedPackage, ManifestFacts, Dependency } from '../package.ts';

interface Directive {
  readonly verb: string;
  readonly words: readonly string[];
  readonly isIndirect: boolean;
  readonly line: number;
}

/** Reads go.mod. The required versions are the used versions, unless a `replace` directive changes them. */
export function readGoMod(text: string): ManifestFacts {
  const directives = readDirectives(text);
  const replaced = directives.filter(({ verb }) => verb === 'replace').flatMap(readReplacement);
  const byName = new Map(replaced.map((one) => [one.name, one]));
  const required = directives.filter(({ verb, words }) => verb === 'require' && words.length >= 2);
  const wanted: Dependency[] = required.flatMap(({ words: [name = '', version = ''], line, isIndirect }) =>
    byName.has(name) || isIndirect ? [] : [{ name, range: version, line }],
  );
  return createManifestFacts('Go', 'go', {
    name: directives.find(({ verb }) => verb === 'module')?.words[0] ?? null,
    wanted: [...wanted, ...replaced.flatMap(({ wanted: one }) => one ?? [])],
    forced: replaced.map(({ name }) => name),
    packages: required.flatMap(({ words: [name = '', version = ''] }) => {
      const other = byName.get(name);
      if (!other) return [{ name, version: version.replace(/^v/, '') }];
      return other.version === null ? [] : [{ name: other.to, version: other.version.replace(/^v/, '') }];
    }),
  });
}

/** Reads go.sum, which lists every version with a checksum, including versions that no build uses. */
export function readGoSum(text: string): LockFileFacts {
  const packages = new Map<string, LockedPackage>();
  for (const line of text.split('\n')) {
    const [name, version] = line.slice(0, 1_000).trim().split(/\s+/);
    if (!name || !version) continue;
    const plain = version.replace(/\/go\.mod$/, '');
    packages.set(`${name}@${plain}`, { name, version: plain });
  }
  return createLockFileFacts('Go', 'go', { packages: [...packages.values()] });
}

function readDirectives(text: string): readonly Directive[] {
  const found: Directive[] = [];
  let block: string | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const [code = '', note = ''] = raw.slice(0, 2_000).split('//', 2);
    const words = code.trim().split(/\s+/).filter(Boolean);
    if (words.length === 0) continue;
    if (words[0] === ')') block = null;
    else if (words.at(-1) === '(') block = words[0] ?? null;
    else {
      const verb = block ?? words.shift() ?? '';
      found.push({ verb, words, isIndirect: note.trim().startsWith('indirect'), line: index + 1 });
    }
  }
  return found;
}

interface Replacement {
  readonly name: string;
  readonly to: string;
  /** Version of the replacement; null when it is a folder. */
  readonly version: string | null;
  readonly wanted?: Dependency;
}

function readReplacement({ words, line }: Directive): readonly Replacement[] {
  const arrow = words.indexOf('=>');
  const [name, to, version = null] = [words[0], words[arrow + 1], words[arrow + 2]];
  if (arrow < 1 || !name || !to) return [];
  if (!/^(?:\.{1,2}(?:\/|$)|\/)/.test(to)) return [{ name, to, version }];
  return [
    { name, to, version: null, wanted: { name, range: null, line, origin: { kind: 'path', at: to, isPinned: true } } },
  ];
}
