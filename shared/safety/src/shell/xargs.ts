import { hardenArgv, PROGRAM_LIST } from './programs.ts';
import { quote } from './program-rule.ts';
import { FOUND_PATH, SKIP_SECRETS, printsContents, mayFindStart } from './programs/find.ts';
import { holdsPrivateData } from './secret-paths.ts';

type Vector = readonly string[];

/** Actions of find other than -print and -print0. */
const OTHER_ACTIONS = /^-(exec|ls|printf|quit)$/;
const PRINTS = /^-print0?$/;
/** Matches alternatives, with which find's implicit action would be ambiguous. */
const ALTERNATIVES = /^(-o|-or|,)$/;

/**
 * Hardens the commands of a pipeline, or returns the reason to ask. Pure. find and xargs are checked as a pair: names are separated by
 * NUL and start with find's folder, so that no name can be a flag.
 */
export function hardenPipeline(
  vectors: readonly Vector[],
): { readonly pipeline: readonly Vector[] } | { readonly reason: string } {
  const pipeline: Vector[] = [];
  for (const [place, vector] of vectors.entries()) {
    const pair = vectors[place + 1]?.[0] === 'xargs' ? hardenPair(vector, vectors[place + 1] ?? []) : null;
    if (pair !== null && 'reason' in pair) return pair;
    const isSecond = vector[0] === 'xargs' && place > 0;
    const hardened = pair ?? (isSecond ? hardenPair(vectors[place - 1] ?? [], vector) : hardenArgv(vector));
    if ('reason' in hardened) return hardened;
    if ('argv' in hardened) pipeline.push(hardened.argv);
    else pipeline.push(isSecond ? hardened.xargs : hardened.find);
  }
  return { pipeline };
}

function hardenPair(
  find: Vector,
  xargs: Vector,
): { readonly find: Vector; readonly xargs: Vector } | { readonly reason: string } {
  const [name = '', ...words] = find;
  if (name !== 'find')
    return { reason: `xargs runs a command over what ${quote(name)} writes, which may be anything.` };
  const started = readXargs(xargs.slice(1));
  if ('reason' in started) return started;
  const hardened = hardenArgv(find);
  if ('reason' in hardened) return hardened;
  const last = words.at(-1) ?? '';
  const [before, written] = PRINTS.test(last) ? [words.slice(0, -1), true] : [words, false];
  const isOdd =
    before.some((word) => OTHER_ACTIONS.test(word) || PRINTS.test(word)) ||
    (!written && before.some((word) => ALTERNATIVES.test(word))) ||
    (written && /^(!|-not)$/.test(before.at(-1) ?? ''));
  if (isOdd) return { reason: 'find writes something else than the names of what it finds, for all that is known.' };
  // Folders come before the expression; find accepts none after it.
  const begin = before[0] === '-P' ? 1 : 0;
  const end = before.findIndex((word, at) => at >= begin && /^[-(!,]/.test(word));
  const folders = before.slice(begin, end === -1 ? before.length : end);
  const wide = folders.find((folder) => folder.startsWith('+') || holdsPrivateData(folder));
  if (wide !== undefined) return { reason: `Programs over all of ${quote(wide)} meet what is private.` };
  const guard = printsContents(started.program) ? SKIP_SECRETS : [];
  return { find: [name, ...before, ...guard, '-print0'], xargs: ['xargs', '-0', ...started.words] };
}

/** Parses the arguments of xargs: known flags except -0, which is always added, and the command. */
function readXargs(args: Vector): { readonly words: Vector; readonly program: string } | { readonly reason: string } {
  const flags: string[] = [];
  let at = 0;
  let replaces = false;
  for (; args[at]?.startsWith('-'); at += 1) {
    const word = args[at] ?? '';
    const next = args[at + 1] ?? '';
    if (/^(-0|--null)$/.test(word)) continue;
    if (/^(-r|--no-run-if-empty|-n[1-9]\d{0,3})$/.test(word)) flags.push(word);
    else if (word === '-n' && /^[1-9]\d{0,3}$/.test(next)) flags.push(word, args[(at += 1)] ?? '');
    else if (word === '-I{}' || (word === '-I' && next === '{}')) {
      flags.push('-I', '{}');
      if (word === '-I') at += 1;
      replaces = true;
    } else return { reason: `xargs with ${quote(word)} is not on the list.` };
  }
  const vector = args.slice(at);
  const [program = ''] = vector;
  if (!mayFindStart(program))
    return { reason: `xargs starts ${quote(program)}, which is not on the list of what it may start.` };
  const given = replaces ? vector.map((word) => (word === '{}' ? FOUND_PATH : word)) : [...vector, FOUND_PATH];
  const places = replaces ? vector.filter((word) => word.includes('{}')).length : 1;
  const operands = PROGRAM_LIST.parse(given)?.operands.filter((operand) => operand === FOUND_PATH) ?? [];
  const searches = program === 'grep' && vector.some((word) => /^-[a-zA-Z]*r|^--recursive$/.test(word));
  if (places === 0 || operands.length !== places || searches)
    return { reason: `xargs starts ${program} in a way that is not on the list.` };
  const hardened = PROGRAM_LIST.harden(given);
  if ('reason' in hardened) return hardened;
  if (hardened.argv.length !== given.length) return { reason: `xargs cannot start ${program} as it has to be.` };
  return { words: [...flags, ...vector], program };
}
