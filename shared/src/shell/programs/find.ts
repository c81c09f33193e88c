import { quote, type ArgumentReader } from '../program-rule.ts';
import { findSecretPath } from '../secret-paths.ts';

/** Tests and actions that only look. Not -exec, -ok, -delete, -fprint, -fls, -files0-from nor -follow. */
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

/** `find` has an expression instead of flags: folders first, then tests and actions, every one of which has to be known. */
export const readFindArguments: ArgumentReader = (args) => {
  const folders: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (ALONE.has(word)) continue;
    if (Object.hasOwn(VALUED, word)) {
      const value = args[(index += 1)] ?? '';
      if (!VALUED[word]?.test(value)) return { reason: `find ${word} with ${quote(value)} is not on the list.` };
    } else if (word.startsWith('-')) return { reason: `find with ${quote(word)} is not on the list.` };
    else folders.push(word);
  }
  const secret = findSecretPath(folders);
  return secret === null ? { argv: args } : { reason: secret };
};
