import type { Make } from './linear-time.ts';

/** A part of a regular expression, as far as texts are made from it. */
type Part =
  | { readonly kind: 'atom'; readonly source: string }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Part[] }
  | { readonly kind: 'look'; readonly body: Part }
  | { readonly kind: 'repeat'; readonly body: Part; readonly min: number; readonly max: number };
type Repeat = Extract<Part, { kind: 'repeat' }>;

const ATOM =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\k<\w+>|\\c[A-Za-z]|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;
const OPEN = /\((?:\?(?:<?[=!]|<\w+>|[a-z-]*:))?/y;
const COUNT = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;
/** Of characters that an expression takes for alike, the first stands for all of them. */
const CHARACTERS = ' \n\t\ra0A_-.,:;=/\\\'"`<>()[]{}#*+!?@$%^&|~ex1é\u00a0\u2028\0'.split('');
/** What a repetition with fewer rounds can add is a factor and no growth. */
const FEW = 10;

/**
 * Texts that an expression may need more than linear time for: each of its repetitions goes on for the whole length, behind what leads to
 * it or behind that again and again, with an end that does not fit.
 */
export function hostileTexts(pattern: RegExp): readonly Make[] {
  const root = parse(pattern.source);
  const alike = classesOf(root, pattern.flags);
  const made = new Map<string, Make>();
  const add = (head: string, pump: string, again: string, tail: string): void => {
    if (pump !== '')
      made.set(JSON.stringify([head, pump, again, tail]), (length) => {
        const rounds = Math.max(1, Math.floor((length - head.length - tail.length) / (again + pump).length));
        return `${head}${`${again}${pump}`.repeat(rounds)}${tail}`;
      });
  };
  for (const { repeat, heads } of repeatsOf(root, alike)) {
    const own = repeat.body.kind === 'atom' ? alike.of(repeat.body) : [...samples(repeat.body, alike)];
    const others = alike.all.filter((one) => !own.includes(one));
    const tails = ['', '\0', ...others.slice(0, 1), ...others.slice(-1)];
    const ways = own.flatMap((pump) => heads.flatMap((head) => tails.map((tail) => ({ pump, head, tail }))));
    for (const { pump, head, tail } of ways) {
      add(head, pump, '', tail);
      add('', pump, '', tail); // what looks behind goes on without what leads to it
      add('', pump, head, tail);
      add(head, pump, others[0] ?? '', tail);
    }
  }
  return [...made.values()];
}

function parse(source: string): Part {
  let at = 0;
  const take = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const found = form.exec(source);
    if (found) at += found[0].length;
    return found;
  };
  const alternatives = (): Part => {
    const options: Part[] = [];
    let parts: Part[] = [];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at += 1;
        options.push({ kind: 'all', parts });
        parts = [];
        continue;
      }
      const part = one();
      const count = take(COUNT);
      parts.push(count ? repeated(part, count) : part);
    }
    options.push({ kind: 'all', parts });
    return options.length === 1 ? { kind: 'all', parts } : { kind: 'any', parts: options };
  };
  const one = (): Part => {
    const open = take(OPEN)?.[0];
    if (open === undefined) return { kind: 'atom', source: take(ATOM)?.[0] ?? '' };
    const body = alternatives();
    at += 1;
    return /[=!]$/.test(open) ? { kind: 'look', body } : body;
  };
  return alternatives();
}

function repeated(body: Part, [sign = '', least, comma, most = '']: RegExpExecArray): Repeat {
  const min = Number(least ?? Number(sign.startsWith('+')));
  if (sign.startsWith('?')) return { kind: 'repeat', body, min: 0, max: 1 };
  return { kind: 'repeat', body, min, max: least !== undefined && comma === '' ? min : Number(most || Infinity) };
}

interface Alike {
  /** One of each class of characters that the expression tells apart. */
  readonly all: readonly string[];
  of(atom: Part): readonly string[];
}

function classesOf(root: Part, flags: string): Alike {
  // Assertions tell the ends of lines and of words.
  const found = new Map([String.raw`\n`, String.raw`\w`].map((one) => [one, matchedBy(one, flags)]));
  const visit = (part: Part): void => {
    if (part.kind === 'atom') found.set(part.source, matchedBy(part.source, flags));
    else if ('parts' in part) part.parts.forEach(visit);
    else visit(part.body);
  };
  visit(root);
  const signature = (one: string): string => [...found.values()].map((list) => Number(list.includes(one))).join('');
  const all = [...new Map(CHARACTERS.toReversed().map((one) => [signature(one), one])).values()];
  return {
    all,
    of: (atom) => {
      const list = atom.kind === 'atom' ? (found.get(atom.source) ?? []) : [];
      return list.length === 1 ? list : list.filter((one) => all.includes(one));
    },
  };
}

/** The characters that an atom matches; of a letter or sign itself, that one. What matches no character, as an assertion, has none. */
function matchedBy(source: string, flags: string): readonly string[] {
  if (/^(?:[\^$]|\\[bB]|\\[1-9]|\\k<\w+>)$/.test(source)) return [];
  const form = new RegExp(`^${source}$`, flags.replace(/[gym]/g, ''));
  const literal = source.length === 1 ? [source] : [source.slice(1)];
  return [...CHARACTERS, ...literal].filter((one, place, all) => form.test(one) && all.indexOf(one) === place);
}

/** Short texts that a part matches: with all that is optional in it, and without. */
function samples(part: Part, alike: Alike): ReadonlySet<string> {
  return new Set([sample(part, alike, true), sample(part, alike, false)]);
}

function sample(part: Part, alike: Alike, isFull: boolean): string {
  switch (part.kind) {
    case 'atom':
      return alike.of(part)[0] ?? '';
    case 'all':
      return part.parts.map((one) => sample(one, alike, isFull)).join('');
    case 'any':
      return sample(part.parts[isFull ? part.parts.length - 1 : 0] ?? { kind: 'all', parts: [] }, alike, isFull);
    case 'look':
      return '';
    case 'repeat':
      return sample(part.body, alike, isFull).repeat(isFull ? Math.max(1, part.min) : part.min);
  }
}

/** Every repetition without a small bound, with texts that lead up to it. */
function* repeatsOf(
  part: Part,
  alike: Alike,
  heads: readonly string[] = [''],
): Generator<{ readonly repeat: Repeat; readonly heads: readonly string[] }> {
  if (part.kind === 'repeat' && part.max > FEW) yield { repeat: part, heads };
  if (part.kind === 'repeat' || part.kind === 'look') yield* repeatsOf(part.body, alike, heads);
  if (part.kind === 'any') for (const one of part.parts) yield* repeatsOf(one, alike, heads);
  if (part.kind !== 'all') return;
  let before = heads;
  for (const one of part.parts) {
    yield* repeatsOf(one, alike, before);
    const next = [...samples(one, alike)];
    before = [...new Set(before.flatMap((head) => next.map((text) => `${head}${text}`)))].slice(0, 4);
  }
}
