import { quote, type ArgumentReader } from '../program-rule.ts';

/*
 * ps reads its words as Unix options first. When anything about them does not fit, it silently reads all of them again in the old
 * style of BSD, where `e` shows the environment of every process: in `ps -aux -e` there is no user `x`, so `-e` becomes that `e`. What
 * makes it do so differs between versions. Therefore no word that holds an `e` as an option ever reaches it: `-e` is passed as `-A`,
 * which means the same and which the old style does not have, and whatever takes a value is passed in its long form, which both read
 * alike. The words that it gets show no environment whichever way they are read.
 */

/** Letters of the old style that only choose and format. Not `e`, nor any that takes a value. */
const OLD_STYLE = /^[afhjlmruvwxHT]+$/;
/** Unix letters without a value. Not -H, -L, -M, -T, which contradict each other. */
const LETTERS = 'AadefFjlw';
/** Unix letters whose value follows, and what is passed instead. */
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

/** `ps`: the same question in words that can be read in one way only. */
export const readPsArguments: ArgumentReader = (args) => {
  const found = { old: [] as string[], unix: [] as string[], long: [] as string[] };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    // A value of its own that looks like a flag might be one.
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
  // There may be a user `x`; what is meant is the old style.
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
      // The old style has no `C` either.
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
