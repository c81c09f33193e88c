import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { CONCEPTS, EFFECTS } from './concepts.ts';
import { ORDINARY_WORDS } from './ordinary-words.ts';
import { bareName, nearest } from './spelling.ts';
import { type Token, isFiller, meaningOf, sensesOf, tokenize } from './tokens.ts';
import { VALUE_ALIASES } from './vocabulary.ts';

/** A name such as web-1 may be written in this many words. */
const MOST_WORDS = 3;
/** A part of a name that is shorter could be anything: "api" of billing-api. */
const SHORTEST_PART = 4;

/** A known name that a text speaks of. */
export interface Mention {
  readonly kind: string;
  /** The name; the first of `candidates` when the text does not say which. */
  readonly name: string;
  /** All names that are meant as likely. One, unless the person has to say which. */
  readonly candidates: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Names by kind: those that are known now, and those that a schema lists in full. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/** What is worked out of a set of known names, for as long as somebody holds them. */
interface Lookup {
  readonly closed: KnownNames;
  readonly kinds: readonly { readonly kind: string; readonly names: readonly string[]; readonly open: boolean }[];
  /** Names by how they are written in small letters. */
  readonly exact: ReadonlyMap<
    string,
    readonly { readonly kind: string; readonly name: string; readonly open: boolean }[]
  >;
  /** Names with separators, by how they are written without. */
  readonly bare: ReadonlyMap<string, readonly { readonly kind: string; readonly name: string }[]>;
  /** Word → the names that it may be a mistyped or shortened form of, by kind. */
  readonly guesses: Map<string, readonly { readonly kind: string; readonly candidates: readonly string[] }[]>;
  /** Text → what was found in it. */
  readonly found: Map<string, readonly Mention[]>;
}

const lookups = new WeakMap<object, Lookup>();

/**
 * Finds known names: exact ones first, then those in other words (mobile app), mistyped and shortened ones; no two of one kind
 * overlap. Words with a meaning of their own (`words`, the vocabulary) are only taken for a name when they are spelled exactly
 * like it, and stand where a name stands.
 */
export function findMentions(
  text: string,
  facts: Pick<RequestFacts, 'known'>,
  words: ReadonlySet<string>,
  closed: KnownNames = {},
): readonly Mention[] {
  const lookup = lookUp(facts.known, closed);
  const known = lookup.found.get(text);
  if (known) return known;
  const found = findIn(text, lookup, words);
  lookup.found.set(text, found);
  return found;
}

function lookUp(known: KnownNames, closed: KnownNames): Lookup {
  const remembered = lookups.get(known);
  if (remembered && remembered.closed === closed) return remembered;
  const kinds = Object.entries({ ...closed, ...known }).map(([kind, names]) => ({
    kind,
    names,
    open: !Object.hasOwn(closed, kind),
  }));
  const exact = new Map<string, { kind: string; name: string; open: boolean }[]>();
  const bare = new Map<string, { kind: string; name: string }[]>();
  for (const { kind, names, open } of kinds) {
    for (const name of names) {
      push(exact, name.toLowerCase(), { kind, name, open });
      if (/[^\p{L}\p{N}]/u.test(name)) push(bare, bareName(name), { kind, name });
    }
  }
  const lookup = { closed, kinds, exact, bare, guesses: new Map(), found: new Map() };
  lookups.set(known, lookup);
  return lookup;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function findIn(text: string, lookup: Lookup, words: ReadonlySet<string>): readonly Mention[] {
  const tokens = tokenize(text).map(withoutPossessive);
  const found: Mention[] = [];
  const take = (kind: string, candidates: readonly string[], start: number, end: number): void => {
    const [name] = candidates;
    // One word can name two things: a server and an environment may both be called local.
    const free = found.every(
      (other) =>
        end <= other.start || start >= other.end || (other.start === start && other.end === end && other.kind !== kind),
    );
    if (free && name !== undefined) found.push({ kind, name, candidates, start, end });
  };
  const isWord = (word: string): boolean => isFiller(word) || words.has(meaningOf(word)) || CONCEPTS.has(word);
  for (const [at, { lower, start, end }] of tokens.entries()) {
    const exact = lookup.exact.get(lower) ?? [];
    for (const { kind, name, open } of exact)
      if (!open || !isWord(lower) || standsAsName(tokens, at, text, kind)) take(kind, [name], start, end);
    const aliases = VALUE_ALIASES.get(lower) ?? [];
    if (aliases.length === 0) continue;
    for (const { kind, names } of lookup.kinds) {
      const alias = aliases.find((value) => names.includes(value));
      if (alias !== undefined && !exact.some((one) => one.kind === kind) && standsAsValue(tokens, at))
        take(kind, [alias], start, end);
    }
  }
  // Several words together must be the name but for its separators; only a single word may be mistyped.
  for (const { start, end, written } of lookup.bare.size > 0 ? runsOf(tokens, text) : []) {
    const same = lookup.bare.get(written) ?? [];
    const kinds = new Set(same.map(({ kind }) => kind));
    for (const kind of kinds) {
      const [only, ...more] = same.filter((one) => one.kind === kind);
      if (only && more.length === 0) take(kind, [only.name], start, end);
    }
  }
  for (const { lower, start, end } of tokens) {
    if (lower.length < 2 || lookup.exact.has(lower) || ORDINARY_WORDS.has(lower) || isWord(lower)) continue;
    for (const { kind, candidates } of guess(lower, lookup)) take(kind, candidates, start, end);
  }
  return found.sort((left, right) => left.start - right.start);
}

/** Two or three words in a row, as one without separators. */
function runsOf(tokens: readonly Token[], text: string) {
  return tokens.flatMap((first, at) =>
    tokens
      .slice(at + 1, at + MOST_WORDS)
      .map(({ end }) => ({ start: first.start, end, written: bareName(text.slice(first.start, end)) })),
  );
}

/** Names that a word may be mistyped or shortened for, by kind. */
function guess(
  word: string,
  { kinds, guesses }: Lookup,
): readonly { readonly kind: string; readonly candidates: readonly string[] }[] {
  const known = guesses.get(word);
  if (known) return known;
  const guessed = kinds.flatMap(({ kind, names }) => {
    const near = nearest(word, names);
    const candidates = near.length > 0 ? near : namesWithPart(word, names);
    return candidates.length > 0 ? [{ kind, candidates }] : [];
  });
  guesses.set(word, guessed);
  return guessed;
}

/** Names of which the word is a part, as billing is of billing-api; mistyped parts too. */
export function namesWithPart(word: string, names: readonly string[]): readonly string[] {
  if (word.length < SHORTEST_PART) return [];
  const parts = (name: string): readonly string[] =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((part) => part.length >= SHORTEST_PART && part !== name);
  const exact = names.filter(
    (name) => parts(name).includes(word) || (name.toLowerCase().startsWith(word) && name.length > word.length),
  );
  if (exact.length > 0) return exact;
  return names.filter((name) => nearest(word, parts(name)).length > 0);
}

/** The text with every mention replaced by a placeholder of its kinds (¤project, ¤environment+server), for comparing it with hints. */
export function withPlaceholders(text: string, mentions: readonly Pick<Mention, 'kind' | 'start' | 'end'>[]): string {
  const places = new Map<number, { readonly end: number; readonly kinds: readonly string[] }>();
  for (const { kind, start, end } of mentions) {
    places.set(start, { end, kinds: [...(places.get(start)?.kinds ?? []), kind] });
  }
  let result = '';
  let at = 0;
  for (const [start, { end, kinds }] of [...places].sort(([left], [right]) => left - right)) {
    // "Live" is a place and says that something is there.
    const live = text.slice(start, end).toLowerCase() === 'live' ? ' §live' : '';
    result += `${text.slice(at, start)}${live} ¤${kinds.join('+')} `;
    at = end;
  }
  return result + text.slice(at);
}

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const DETERMINERS = set(
  'the a an this that my our your last latest running current next free any which what new another some all no its his her their first every more',
);
const PREPOSITIONS = set('of for about on with from at in called named project app application service own owns');
const BEFORE_NAMES = set('give gives tell show log logs errors health ports');
const BEFORE_STATES = set("is are does has did was do if how's what's whats hows");
const AFTER_NAMES = set('project app application has needs wants should gets is');

/** Whether a word that also means something else stands where a name stands: "how is deploy doing", "archive help". */
function standsAsName(tokens: readonly Token[], at: number, text: string, kind: string): boolean {
  const [before, after] = [tokens[at - 1]?.lower ?? '', tokens[at + 1]?.lower ?? ''];
  const { start, end } = tokens[at] ?? { start: 0, end: 0 };
  if (/["'`]/.test(text[start - 1] ?? '') && /["'`]/.test(text[end] ?? '')) return true;
  if (after === kind || before === kind) return true;
  // "release: which version runs?"
  if (before === '' && /^:\s/.test(text.slice(end))) return true;
  if (DETERMINERS.has(before) || /^\d+$/.test(after)) return false;
  if (PREPOSITIONS.has(before)) return true;
  if (after === 'of') return false;
  if (BEFORE_STATES.has(before)) return true;
  if (after === 'for') return false;
  if (BEFORE_NAMES.has(before)) return true;
  if (before === '') return AFTER_NAMES.has(after) || /^v?\d+\.\d/.test(after);
  return (
    sensesOf(before).some(({ meaning, share }) => share >= 0.7 && EFFECTS.has(meaning)) || /^(?:un)?archiv/.test(before)
  );
}

const VERB_FOLLOWS = set('do does did where could can should would will may might it they');

/** "live" is a place in "put it live", not in "where does it live". */
export function standsAsValue(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.lower !== 'live') return true;
  return !tokens.slice(Math.max(0, at - 4), at).some(({ lower }) => VERB_FOLLOWS.has(lower));
}

function withoutPossessive(token: Token): Token {
  if (!token.lower.endsWith("'s")) return token;
  return { lower: token.lower.slice(0, -2), start: token.start, end: token.end - 2 };
}
