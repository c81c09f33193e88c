import { findSecretPath } from './secret-paths.ts';

/** What was written after a program's name, told apart by its list of flags. */
export interface ParsedArguments {
  /** Every value of every flag that was given; a flag without a value has an empty one. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** What one program may do unasked. Whatever is not named here asks. */
export interface ProgramRule {
  /**
   * Flags, separated by spaces: `-a` takes no value, `-n=` needs one, `--color=?` may have one after `=`, `-#` is a number
   * such as `-20`. Long flags must be written out: what GNU completes could be completed to another one.
   */
  readonly flags?: string;
  /**
   * It does not read its flags as getopt does: a value is a word of its own, and a flag with a value stands alone. `tree -Io a b`
   * is a pattern `a` and an output file `b`, where getopt would read a pattern `o`.
   */
  readonly separate?: boolean;
  /** Words that may follow; without it none. `any` is for paths, patterns and other text that is only read. */
  readonly operands?: 'any' | RegExp;
  readonly maxOperands?: number;
  /** Which of the words are paths; without it all operands and all values of flags are looked at as paths. */
  readonly paths?: (parsed: ParsedArguments) => readonly string[];
  /** What else has to hold: the sentence why not, or null. */
  readonly check?: (parsed: ParsedArguments) => string | null;
  /** Flags that are added to those that were given, so that files on disk cannot change what the program does. */
  readonly hardening?: readonly string[] | ((parsed: ParsedArguments) => readonly string[]);
}

/** A program whose arguments are no list of flags has a reader of its own: the hardened arguments, or the sentence why not. */
export type ArgumentReader = (
  args: readonly string[],
) => { readonly argv: readonly string[] } | { readonly reason: string };

export type ProgramTable = Readonly<Record<string, ProgramRule | ArgumentReader>>;

/** Reads arguments by a rule: what will be executed in their place, or the sentence why a person has to look. */
export function readArguments(name: string, rule: ProgramRule, args: readonly string[]): ReturnType<ArgumentReader> {
  const parsed = parseArguments(name, rule.flags ?? '', args, rule.separate);
  if ('reason' in parsed) return parsed;
  const { operands } = parsed;
  const most = rule.operands === undefined ? 0 : (rule.maxOperands ?? Infinity);
  if (operands.length > most)
    return {
      reason:
        most === 0 ? `${name} with ${quote(operands[0] ?? '')} is not on the list.` : `${name} has too many arguments.`,
    };
  const pattern = rule.operands;
  const odd = pattern instanceof RegExp ? operands.find((operand) => !pattern.test(operand)) : undefined;
  if (odd !== undefined) return { reason: `${name} with ${quote(odd)} is not on the list.` };
  // Older forms of tail, sort, uniq and od take `+5`, `+f` and the like for options.
  const paths = rule.paths?.(parsed) ?? operands;
  const old = pattern === 'any' ? paths.find((path) => path.startsWith('+')) : undefined;
  if (old !== undefined)
    return { reason: `${name} may take ${quote(old)} for an option; write ./${old.slice(0, 40)}.` };
  const secret = findSecretPath(rule.paths?.(parsed) ?? [...operands, ...[...parsed.flags.values()].flat()]);
  if (secret !== null) return { reason: secret };
  const problem = rule.check?.(parsed) ?? null;
  if (problem !== null) return { reason: problem };
  const hardening = typeof rule.hardening === 'function' ? rule.hardening(parsed) : (rule.hardening ?? []);
  // Behind the others, because of contrary flags the last one counts; but not behind the end of the flags.
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return { argv: [...args.slice(0, end), ...hardening, ...args.slice(end)] };
}

/** Tells flags and operands apart. Every word that begins with `-` has to be a flag of the list, also where it is a value. */
export function parseArguments(
  name: string,
  allowed: string,
  args: readonly string[],
  separate = false,
): ParsedArguments | { readonly reason: string } {
  const known = new Set(allowed.split(/\s+/));
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  const note = (flag: string, value: string): void => void flags.set(flag, [...(flags.get(flag) ?? []), value]);
  let literal = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    const unknown = { reason: `${name} with ${quote(word)} is not on the list.` };
    if (literal || word === '-' || !word.startsWith('-')) {
      // After `--` a name that looks like a flag is a file for some programs and a flag for others.
      if (word.startsWith('-') && word !== '-') return unknown;
      operands.push(word);
    } else if (word === '--') literal = true;
    else {
      const read = word.startsWith('--') ? readLong(known, word) : readShort(known, word, separate);
      if (read === null) return unknown;
      for (const flag of read.flags) note(flag, '');
      if (read.valued === null) continue;
      const value = read.value ?? args[(index += 1)];
      if (value === undefined) return { reason: `${name} lacks a value after ${quote(word)}.` };
      // A word of its own that looks like a flag might be one: only a number may.
      if (read.value === null && value.startsWith('-') && !/^-\d+$/.test(value))
        return { reason: `${name} has a value that looks like a flag: ${quote(value)}.` };
      note(read.valued, value);
    }
  }
  return { flags, operands };
}

interface ReadFlag {
  readonly flags: readonly string[];
  /** The flag that takes a value, which follows when `value` is null. */
  readonly valued: string | null;
  readonly value: string | null;
}

function readLong(known: ReadonlySet<string>, word: string): ReadFlag | null {
  const cut = word.indexOf('=');
  const flag = cut === -1 ? word : word.slice(0, cut);
  if (cut === -1) {
    if (known.has(flag) || known.has(`${flag}=?`)) return { flags: [flag], valued: null, value: null };
    return known.has(`${flag}=`) ? { flags: [], valued: flag, value: null } : null;
  }
  return known.has(`${flag}=`) || known.has(`${flag}=?`)
    ? { flags: [], valued: flag, value: word.slice(cut + 1) }
    : null;
}

/** One word of short flags, such as `-la` or `-n20`. */
function readShort(known: ReadonlySet<string>, word: string, separate: boolean): ReadFlag | null {
  if (known.has('-#') && /^-\d+$/.test(word)) return { flags: ['-#'], valued: null, value: null };
  if (known.has(word)) return { flags: [word], valued: null, value: null };
  if (separate && known.has(`${word}=`)) return { flags: [], valued: word, value: null };
  if (separate && known.has(`${word}=?`)) return { flags: [word], valued: null, value: null };
  const flags: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = `-${word.charAt(at)}`;
    const rest = word.slice(at + 1);
    if (separate && !known.has(flag)) return null;
    if (known.has(`${flag}=`)) return { flags, valued: flag, value: rest === '' ? null : rest };
    if (known.has(`${flag}=?`))
      return rest === ''
        ? { flags: [...flags, flag], valued: null, value: null }
        : { flags, valued: flag, value: rest };
    if (!known.has(flag)) return null;
    flags.push(flag);
  }
  return { flags, valued: null, value: null };
}

/** A word of a command inside a sentence. */
export function quote(word: string): string {
  return `'${word.length > 40 ? `${word.slice(0, 40)}…` : word}'`;
}
