import { findSecretPath } from './secret-paths.ts';

export interface ParsedArguments {
  /** The values of each given flag; empty text for flags without a value. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** The arguments with which a program may run without asking. All other arguments need a person. */
export interface ProgramRule {
  /**
   * Space-separated flags: `-a` has no value, `-n=` needs one, `--color=?` may have one after `=`, `-#` is a number such as `-20`. Long
   * flags are not abbreviated, because GNU could complete them differently.
   */
  readonly flags?: string;
  /**
   * True for a program without getopt: values are separate words, and a flag with a value stands alone. In `tree -Io a b`, `a` is the
   * pattern and `b` the output file, where getopt would read the pattern `o`.
   */
  readonly separate?: boolean;
  /** Allowed operands; absent: no operands. `any` is for paths, patterns and text that is only read. */
  readonly operands?: 'any' | RegExp;
  readonly maxOperands?: number;
  /** Selects the paths; by default all operands and flag values are checked as paths. */
  readonly paths?: (parsed: ParsedArguments) => readonly string[];
  /** A further check: returns the reason to ask, or null. */
  readonly check?: (parsed: ParsedArguments) => string | null;
  /** Flags to add, so that files on disk cannot change what the program does. */
  readonly hardening?: readonly string[] | ((parsed: ParsedArguments) => readonly string[]);
}

/** Parses arguments of a program without a flag list: the hardened arguments, or the reason to ask. */
export type ArgumentReader = (
  args: readonly string[],
) => { readonly argv: readonly string[] } | { readonly reason: string };

export type ProgramTable = Readonly<Record<string, ProgramRule | ArgumentReader>>;

/** Checks arguments by a rule: returns the hardened arguments, or the reason to ask. */
export function checkArguments(name: string, rule: ProgramRule, args: readonly string[]): ReturnType<ArgumentReader> {
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
  // Old versions of tail, sort, uniq and od take `+5` or `+f` for options.
  const paths = rule.paths?.(parsed) ?? operands;
  const old = pattern === 'any' ? paths.find((path) => path.startsWith('+')) : undefined;
  if (old !== undefined)
    return { reason: `${name} may take ${quote(old)} for an option; write ./${old.slice(0, 40)}.` };
  const secret = findSecretPath(rule.paths?.(parsed) ?? [...operands, ...[...parsed.flags.values()].flat()]);
  if (secret !== null) return { reason: secret };
  const problem = rule.check?.(parsed) ?? null;
  if (problem !== null) return { reason: problem };
  const hardening = typeof rule.hardening === 'function' ? rule.hardening(parsed) : (rule.hardening ?? []);
  // The added flags follow the given flags, because the last of contradicting flags wins, but precede `--`.
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return { argv: [...args.slice(0, end), ...hardening, ...args.slice(end)] };
}

/** Separates flags and operands. Every word that starts with `-` must be a listed flag, even as a value. */
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
      // Some programs take a word with a hyphen after `--` for a file, others for a flag.
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
      // A separate value that looks like a flag might be a flag, unless it is a number.
      if (read.value === null && value.startsWith('-') && !/^-\d+$/.test(value))
        return { reason: `${name} has a value that looks like a flag: ${quote(value)}.` };
      note(read.valued, value);
    }
  }
  return { flags, operands };
}

interface ReadFlag {
  readonly flags: readonly string[];
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

/** Parses a word of short flags, such as `-la` or `-n20`. */
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

export function quote(word: string): string {
  return `'${word.length > 40 ? `${word.slice(0, 40)}…` : word}'`;
}
