import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';

/** The parsed patterns of a `.dockerignore`. */
export interface IgnoreFile {
  excludes(path: string): boolean;
  /** True when a pattern includes files of an excluded folder again. */
  readonly hasExceptions: boolean;
}

const NAME = '.dockerignore';
/** Files that the engine needs for the build even when they are excluded. */
const ALWAYS = new Set(['Dockerfile', NAME]);

/**
 * Returns a function that is true for absolute paths excluded by the folder's `.dockerignore`. Null without that file. Throws
 * BUILD_FAILED for an invalid pattern, because the build context might then include secrets.
 */
export function readIgnoreFilter(folder: string): ((path: string) => boolean) | null {
  const file = join(folder, NAME);
  if (!existsSync(file)) return null;
  const kept = keptBelow(folder, parseIgnoreFile(readFileSync(file, 'utf8')));
  return (path) => {
    const name = relative(folder, path);
    return name !== '' && !kept.has(name);
  };
}

/**
 * Parses a `.dockerignore` like the engine's client: patterns start at the root, `*` and `?` stay in one folder, `**` spans folders, `!`
 * includes again, the last match decides, and a folder's pattern covers its contents. Pure.
 */
export function parseIgnoreFile(text: string): IgnoreFile {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(parseRule);
  return {
    hasExceptions: rules.some(({ isException }) => isException),
    excludes: (path) => {
      const parts = path.split('/');
      const paths = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
      const last = rules.findLast(({ pattern }) => paths.some((one) => pattern.test(one)));
      return last !== undefined && !last.isException;
    },
  };
}

function parseRule(line: string): { readonly isException: boolean; readonly pattern: RegExp } {
  const isException = line.startsWith('!');
  const said = isException ? line.slice(1).trim() : line;
  const path = posix.normalize(said).replace(/\/$/, '').replace(/^\//, '');
  if (said === '') throw unreadable(line);
  try {
    return { isException, pattern: new RegExp(`^${translate(path)}$`, 'su') };
  } catch {
    throw unreadable(line);
  }
}

/** Converts a pattern to a regular expression. Character classes differ in Go: `!` does not negate, and no class matches a slash. */
function translate(path: string): string {
  let written = '';
  for (let at = 0; at < path.length; at++) {
    const [char = '', next] = [path[at], path[at + 1]];
    if (char === '*' && next === '*') {
      at += path[at + 2] === '/' ? 2 : 1;
      written += at + 1 >= path.length ? '.*' : '(?:.*/)?';
    } else if (char === '*') written += '[^/]*';
    else if (char === '?') written += '[^/]';
    else if (char === '[') {
      const end = endOfClass(path, at);
      written += path.slice(at, end + 1).replaceAll('[', (found, place: number) => (place === 0 ? found : '\\['));
      at = end;
    } else if (char === '\\') {
      if (next === undefined) throw new Error('nothing behind the last \\');
      written += escape(next);
      at += 1;
    } else written += escape(char);
  }
  return written;
}

function endOfClass(path: string, begin: number): number {
  for (let at = begin + (path[begin + 1] === '^' ? 2 : 1); at < path.length; at++) {
    if (path[at] === '\\') at += 1;
    else if (path[at] === ']') return at;
  }
  throw new Error('a class without an end');
}

function escape(char: string): string {
  return /[$()*+.?[\\\]^{|}/]/.test(char) ? `\\${char}` : char;
}

function keptBelow(root: string, ignored: IgnoreFile): ReadonlySet<string> {
  const kept = new Set<string>();
  const walk = (folder: string): boolean => {
    let hasKept = false;
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const name = posix.join(folder, entry.name);
      const isOut = ignored.excludes(name) && !ALWAYS.has(name);
      const holdsKept = entry.isDirectory() && (!isOut || ignored.hasExceptions) && walk(name);
      if (isOut && !holdsKept) continue;
      kept.add(name);
      hasKept = true;
    }
    return hasKept;
  };
  walk('');
  return kept;
}

function unreadable(line: string): AppError {
  return new AppError('BUILD_FAILED', {
    command: NAME,
    outcome: `has the pattern \`${line.slice(0, 100)}\`, which cannot be read`,
  });
}
