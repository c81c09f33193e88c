import { quote, type ArgumentReader } from '../program-rule.ts';

/*
 * ps reads its words as Unix options first. When anything does not fit, it silently reads all of them in BSD's old style, where `e` shows
 * the environment of every process: without a user `x`, the `-e` of `ps -aux -e` becomes that `e`. What triggers this differs between
 * versions. Therefore no option with an `e` ever reaches ps: `-e` is passed as `-A`, which means the same and does not exist in the old
 * style, and options with values are passed in their long form, which both styles read alike. The passed words show no environment in
 * either style.
 */

/** Letters of BSD's style that only select and format. `e` and letters with values are missing. */
const OLD_STYLE = /^[afhjlmruvwxHT]+$/;
/** Unix letters without a value. -H, -L, -M and -T are missing, because they contradict each other. */
const LETTERS = 'AadefFjlw';
/** Unix letters with a value, and the long options that replace them. */
const VALUED: Readonly<Record<string, string>> = { o: '--format', p: '--pid' };
const FORMAT = /^(?!.*env)[a-z%_,+=:0-9-]+$/i;
const NUMBERS = /^\d+(,\d+)*$/;
const LONG: Readonly<Record<string, RegExp | null>> = {
  '--format': FORMAT,
  '--sort': FORMAT,
  '--pid': NUMBERS,
  '--ppid': NUMBERS,
  '--cols': NUMBERS,
  '--columns': NUMBERS,
  '--width': NUMBERS,
  '--user': /^[a-z_][a-z0-9_-]*$/,
  '--forest': null,
  '--headers': null,
  '--no-headers': null,
};

/** Rewrites the arguments of `ps` to words that have one meaning only. */
export const readPsArguments: ArgumentReader = (args) => {
  const found = { old: [] as string[], unix: [] as string[], long: [] as string[] };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    // A separate value that looks like a flag might be a flag.
    const next = args[at + 1]?.startsWith('-') ? undefined : args[at + 1];
    const read = readWord(word, next);
    if (read === null) return { reason: `ps with ${quote(word)} is not on the list.` };
    for (const kind of ['old', 'unix', 'long'] as const) found[kind].push(...(read[kind] ?? []));
    if (read.takesNext) at += 1;
  }
  if (found.old.length + Math.min(found.unix.length, 1) > 1)
    return { reason: 'ps is given options of two styles, which it may read in another way than they are meant.' };
  return { argv: [...found.old, ...found.unix, ...found.long] };
};

interface ReadWord {
  readonly old?: readonly string[];
  readonly unix?: readonly string[];
  readonly long?: readonly string[];
  readonly takesNext?: boolean;
}

function readWord(word: string, next: string | undefined): ReadWord | null {
  if (OLD_STYLE.test(word)) return { old: [word] };
  // `ps -aux` could name a user `x`, but people mean BSD's style.
  if (word === '-aux') return { old: ['aux'] };
  if (word.startsWith('--')) return readLong(word, next);
  return /^-[A-Za-z]/.test(word) ? readLetters(word.slice(1), next) : null;
}

function readLong(word: string, next: string | undefined): ReadWord | null {
  const cut = word.indexOf('=');
  const name = cut === -1 ? word : word.slice(0, cut);
  if (!Object.hasOwn(LONG, name)) return null;
  const pattern = LONG[name];
  if (!pattern) return cut === -1 ? { long: [name] } : null;
  const value = cut === -1 ? next : word.slice(cut + 1);
  return value !== undefined && pattern.test(value) ? { long: [`${name}=${value}`], takesNext: cut === -1 } : null;
}

function readLetters(letters: string, next: string | undefined): ReadWord | null {
  let plain = '';
  for (const [place, letter] of [...letters].entries()) {
    if (LETTERS.includes(letter)) {
      plain += letter === 'e' ? 'A' : letter;
      continue;
    }
    const rest = letters.slice(place + 1);
    const value = rest === '' ? next : rest;
    const unix = plain === '' ? [] : [`-${plain}`];
    if (letter === 'C') {
      // BSD's style has no `C` either, so a command's name is safe in both styles.
      const isName = value !== undefined && /^[A-Za-z0-9_][\w.,-]*$/.test(value);
      return isName ? { unix: [...unix, `-C${value}`], takesNext: rest === '' } : null;
    }
    const name = Object.hasOwn(VALUED, letter) ? VALUED[letter] : undefined;
    const pattern = name === undefined ? null : LONG[name];
    if (!pattern || value === undefined || !pattern.test(value)) return null;
    return { unix, long: [`${name}=${value}`], takesNext: rest === '' };
  }
  return { unix: [`-${plain}`] };
}
