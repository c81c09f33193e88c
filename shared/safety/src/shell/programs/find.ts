import { quote, type ArgumentReader, type ParsedArguments } from '../program-rule.ts';
import { findSecretPath, holdsPrivateData, SECRET_FILES, SECRET_FOLDERS } from '../secret-paths.ts';

/** Read-only tests and actions of find. Excluded: -execdir, -ok, -delete, -fprint, -fls, -files0-from and -follow. */
const ALONE = new Set(
  (
    '-a -and -o -or -not ! ( ) , -depth -d -mount -xdev -empty -executable -readable -writable -nouser -nogroup -print ' +
    '-print0 -prune -quit -ls -true -false -daystart -noleaf -ignore_readdir_race -warn -nowarn -P'
  ).split(' '),
);

const ANYTHING = /^[^-]/;
const NUMBER = /^[-+]?\d+$/;
/** Tests of find with a value, and the form of the value, which never looks like an action. */
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

/** Programs that find may start for its results: they describe files and open none. */
const TELLING = new Set('basename dirname du echo ls readlink realpath stat'.split(' '));
const READING = new Set(
  'cat cksum cut file grep head md5sum nl od sha1sum sha256sum sha512sum sort tac tail wc zcat'.split(' '),
);
export function mayFindStart(program: string): boolean {
  return TELLING.has(program) || READING.has(program);
}

/** True when a program prints file contents, so that files with secrets must be excluded. */
export function printsContents(program: string): boolean {
  return READING.has(program);
}

/** The placeholder for a found file in the check of the started program: every found path starts with its folder. */
export const FOUND_PATH = './found';
/** Tests that find gets before a program that reads files: they exclude links and files with secrets, as in `grep -r`. */
export const SKIP_SECRETS: readonly string[] = [
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

/** The parts of the program list that find needs. */
export interface ProgramList {
  readonly harden: (vector: readonly string[]) => ReturnType<ArgumentReader>;
  /** Returns null when the list has no flags for the program. */
  readonly parse: (vector: readonly string[]) => ParsedArguments | null;
}

/** Parses find's arguments: folders, then tests and actions, all of which must be known. `-exec` may start a listed program. */
export function createFindReader(list: ProgramList): ArgumentReader {
  return (args) => {
    const folders: string[] = [];
    const argv: string[] = [];
    let starts = false;
    for (let index = 0; index < args.length; index += 1) {
      const word = args[index] ?? '';
      if (word === '-exec') {
        // A negation would invert the tests that exclude files with secrets.
        if (args[index - 1] === '!' || args[index - 1] === '-not') return { reason: 'find negates what it starts.' };
        const started = readStarted(args.slice(index + 1), list);
        if ('reason' in started) return started;
        argv.push(...(printsContents(started.words[0] ?? '') ? SKIP_SECRETS : []), word, ...started.words);
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
    const wide = starts ? folders.find((folder) => folder.startsWith('+') || holdsPrivateData(folder)) : undefined;
    if (wide !== undefined) return { reason: `Programs over all of ${quote(wide)} meet what is private.` };
    const secret = findSecretPath(folders);
    return secret === null ? { argv } : { reason: secret };
  };
}

/** Parses the words from `-exec` to its end, as find does. */
function readStarted(
  words: readonly string[],
  { harden, parse }: ProgramList,
): { readonly words: readonly string[] } | { readonly reason: string } {
  const end = words.findIndex((word, at) => word === ';' || (word === '+' && words[at - 1] === '{}'));
  const vector = words.slice(0, Math.max(0, end)).map((word) => (word === '{}' ? FOUND_PATH : word));
  const [name = ''] = vector;
  if (!mayFindStart(name))
    return { reason: `find starts ${quote(name)}, which is not on the list of what it may start.` };
  // A flag's value may be a pattern or a list of names, and part of a word may become a flag.
  const places = words.slice(0, end).filter((word) => word.includes('{}')).length;
  const operands = parse(vector)?.operands.filter((operand) => operand === FOUND_PATH) ?? [];
  const searches = name === 'grep' && vector.some((word) => /^-[a-zA-Z]*r|^--recursive$/.test(word));
  if (operands.length !== places || searches)
    return { reason: `find starts ${name} in a way that is not on the list.` };
  const hardened = harden(vector);
  if ('reason' in hardened) return hardened;
  // No safety flags may be added: after `{} +` find would read them as its own arguments.
  if (hardened.argv.length !== vector.length) return { reason: `find cannot start ${name} as it has to be.` };
  return { words: words.slice(0, end + 1) };
}
