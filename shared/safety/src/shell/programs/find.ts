import { quote, type ArgumentReader, type ParsedArguments } from '../program-rule.ts';
import { findSecretPath, isWideFolder, SECRET_FILES, SECRET_FOLDERS } from '../secret-paths.ts';

/** Tests and actions that only look. Not -execdir, -ok, -delete, -fprint, -fls, -files0-from nor -follow. */
const ALONE = new Set(
  (
    '-a -and -o -or -not ! ( ) , -depth -d -mount -xdev -empty -executable -readable -writable -nouser -nogroup -print ' +
    '-print0 -prune -quit -ls -true -false -daystart -noleaf -ignore_readdir_race -warn -nowarn -P'
  ).split(' '),
);

const ANYTHING = /^[^-]/;
const NUMBER = /^[-+]?\d+$/;
/** Tests with a value, and what the value looks like: never like an action. */
const VALUED: Readonly<Record<string, RegExp>> = {
  '-name': ANYTHING,
  '-iname': ANYTHING,
  '-path': ANYTHING,
  '-ipath': ANYTHING,
  '-wholename': ANYTHING,
  '-iwholename': ANYTHING,
  '-lname': ANYTHING,
  '-ilname': ANYTHING,
  '-regex': ANYTHING,
  '-iregex': ANYTHING,
  '-regextype': /^[a-z-]+$/,
  '-type': /^[bcdpfls](,[bcdpfls])*$/,
  '-xtype': /^[bcdpfls](,[bcdpfls])*$/,
  '-fstype': /^[a-z0-9]+$/,
  '-maxdepth': /^\d+$/,
  '-mindepth': /^\d+$/,
  '-size': /^[-+]?\d+[cwbkMG]?$/,
  '-links': NUMBER,
  '-inum': NUMBER,
  '-uid': NUMBER,
  '-gid': NUMBER,
  '-mtime': NUMBER,
  '-atime': NUMBER,
  '-ctime': NUMBER,
  '-mmin': NUMBER,
  '-amin': NUMBER,
  '-cmin': NUMBER,
  '-used': NUMBER,
  '-perm': /^[-/]?([0-7]+|[ugoa]*[=+][rwxXst,ugoa=+]*)$/,
  '-user': /^\w[\w-]*$/,
  '-group': /^\w[\w-]*$/,
  '-newer': ANYTHING,
  '-anewer': ANYTHING,
  '-cnewer': ANYTHING,
  '-newermt': ANYTHING,
  '-samefile': ANYTHING,
  '-printf': ANYTHING,
};

/** Programs that find may start for what it finds: they tell about the files that they are given, and open no other. */
const TELLING = new Set('basename dirname du echo ls readlink realpath stat'.split(' '));
/** These print what is in them. */
const READING = new Set(
  'cat cksum cut file grep head md5sum nl od sha1sum sha256sum sha512sum sort tac tail wc zcat'.split(' '),
);
/** Whether it may be started over what was found. */
export function mayStart(program: string): boolean {
  return TELLING.has(program) || READING.has(program);
}

/** Whether it prints what is in a file, so that it must be given none with secrets. */
export function isReading(program: string): boolean {
  return READING.has(program);
}

/** What stands for a found file when the list looks at the program that is started for it: every found path begins with its folder. */
export const FOUND = './found';
/** Stands in front of what reads files: links and what holds secrets are passed to no program, as in `grep -r`. */
export const GUARD: readonly string[] = [
  '!',
  '(',
  ...[
    ['-type', 'l'],
    ...SECRET_FILES.map((name) => ['-name', name]),
    ...SECRET_FOLDERS.flatMap((name) => [
      ['-name', name],
      ['-path', `*/${name}/*`],
    ]),
  ].flatMap((test, place) => (place === 0 ? test : ['-o', ...test])),
  ')',
];

/** The list of programs, as far as find needs it. */
export interface ProgramList {
  readonly harden: (vector: readonly string[]) => ReturnType<ArgumentReader>;
  /** Null where the list has no flags for the program. */
  readonly parse: (vector: readonly string[]) => ParsedArguments | null;
}

/**
 * `find` has an expression instead of flags: folders first, then tests and actions, every one of which has to be known. `-exec` may
 * start a program of the list over what is found.
 */
export function createFindReader(list: ProgramList): ArgumentReader {
  return (args) => {
    const folders: string[] = [];
    const argv: string[] = [];
    let starts = false;
    for (let index = 0; index < args.length; index += 1) {
      const word = args[index] ?? '';
      if (word === '-exec') {
        // Negated, the guard would let through what it is there to keep back.
        if (args[index - 1] === '!' || args[index - 1] === '-not') return { reason: 'find negates what it starts.' };
        const started = readStarted(args.slice(index + 1), list);
        if ('reason' in started) return started;
        argv.push(...(isReading(started.words[0] ?? '') ? GUARD : []), word, ...started.words);
        index += started.words.length;
        starts = true;
        continue;
      }
      argv.push(word);
      if (ALONE.has(word)) continue;
      if (Object.hasOwn(VALUED, word)) {
        const value = args[(index += 1)] ?? '';
        if (!VALUED[word]?.test(value)) return { reason: `find ${word} with ${quote(value)} is not on the list.` };
        argv.push(value);
      } else if (word.startsWith('-')) return { reason: `find with ${quote(word)} is not on the list.` };
      else folders.push(word);
    }
    const wide = starts ? folders.find((folder) => folder.startsWith('+') || isWideFolder(folder)) : undefined;
    if (wide !== undefined) return { reason: `Programs over all of ${quote(wide)} meet what is private.` };
    const secret = findSecretPath(folders);
    return secret === null ? { argv } : { reason: secret };
  };
}

/** The words behind `-exec` up to its end, as find reads them. */
function readStarted(
  words: readonly string[],
  { harden, parse }: ProgramList,
): { readonly words: readonly string[] } | { readonly reason: string } {
  const end = words.findIndex((word, at) => word === ';' || (word === '+' && words[at - 1] === '{}'));
  const vector = words.slice(0, Math.max(0, end)).map((word) => (word === '{}' ? FOUND : word));
  const [name = ''] = vector;
  if (!mayStart(name)) return { reason: `find starts ${quote(name)}, which is not on the list of what it may start.` };
  // The value of a flag may be a pattern or a list of names, and a part of a word may become a flag.
  const places = words.slice(0, end).filter((word) => word.includes('{}')).length;
  const operands = parse(vector)?.operands.filter((operand) => operand === FOUND) ?? [];
  const searches = name === 'grep' && vector.some((word) => /^-[a-zA-Z]*r|^--recursive$/.test(word));
  if (operands.length !== places || searches)
    return { reason: `find starts ${name} in a way that is not on the list.` };
  const hardened = harden(vector);
  if ('reason' in hardened) return hardened;
  // Nothing may be put in: behind `{} +` it would be read as an argument of its own.
  if (hardened.argv.length !== vector.length) return { reason: `find cannot start ${name} as it has to be.` };
  return { words: words.slice(0, end + 1) };
}
