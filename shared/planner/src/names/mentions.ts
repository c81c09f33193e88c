import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { bareName, closest, nearest } from './spelling.ts';
import { EFFECTS } from '../text/thesaurus.ts';
import { type Token, hasSense, isFiller, means, tokenize } from '../text/tokens.ts';
import { VALUE_ALIASES } from './value-words.ts';

/** A name such as web-1 may be written in this many words. */
const MOST_WORDS = 3;
/** A part of a name that is shorter could be anything: "api" of billing-api. */
const SHORTEST_PART = 4;

/** A known name that a text speaks of. */
export interface Mention {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Names by kind: those that are known now, and those that a schema lists in full. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

interface Named {
  readonly kind: string;
  readonly name: string;
  readonly isClosed: boolean;
}

/** What the tools speak of: names of kinds that are a closed set, and words that are never a misspelled name. */
export interface Language {
  readonly closed: KnownNames;
  readonly words: ReadonlySet<string>;
}

/** What is worked out of a set of known names, for as long as somebody holds them. */
interface Lookup {
  readonly language: Language;
  readonly byKind: readonly (readonly [string, readonly string[]])[];
  /** Names by how they are written in small letters, and those with separators by how they are written without. */
  readonly exact: ReadonlyMap<string, readonly Named[]>;
  readonly bare: ReadonlyMap<string, readonly Named[]>;
  /** Text → what was found in it. */
  readonly found: Map<string, readonly Mention[]>;
}

const lookups = new WeakMap<object, Lookup>();

/**
 * Finds known names: exact ones first, then those in other words (mobile app) and mistyped ones; no two of one kind
 * overlap. Everyday words and words of the thesaurus are taken for a name only where a name stands.
 */
export function findMentions(text: string, facts: Pick<RequestFacts, 'known'>, language: Language): readonly Mention[] {
  const lookup = lookUp(facts.known, language);
  const known = lookup.found.get(text);
  if (known) return known;
  const found = findIn(text, lookup);
  lookup.found.set(text, found);
  return found;
}

/** Known names of a kind; none for a kind that nobody listed. */
export function knownNames(facts: Pick<RequestFacts, 'known'>, kind: string | null): readonly string[] {
  return kind !== null && Object.hasOwn(facts.known, kind) ? (facts.known[kind] ?? []) : [];
}

/** Names of which the word is a part, as billing is of billing-api. */
export function namesWithPart(word: string, names: readonly string[]): readonly string[] {
  if (word.length < SHORTEST_PART) return [];
  const partsOf = (name: string) =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((part) => part !== name);
  const exact = names.filter((name) => partsOf(name).includes(word) || (name.startsWith(word) && name !== word));
  return exact.length > 0
    ? exact
    : names.filter(
        (name) =>
          nearest(
            word,
            partsOf(name).filter((part) => part.length >= SHORTEST_PART),
          ).length > 0,
      );
}

function lookUp(known: KnownNames, language: Language): Lookup {
  const { closed } = language;
  const remembered = lookups.get(known);
  if (remembered?.language === language) return remembered;
  const byKind = Object.entries({ ...closed, ...known });
  const all = byKind.flatMap(([kind, names]) =>
    names.map((name): Named => ({ kind, name, isClosed: Object.hasOwn(closed, kind) })),
  );
  const lookup = {
    language,
    byKind,
    exact: groupBy(all, ({ name }) => name.toLowerCase()),
    bare: groupBy(
      all.filter(({ name }) => /[^\p{L}\p{N}]/u.test(name)),
      ({ name }) => bareName(name),
    ),
    found: new Map(),
  };
  lookups.set(known, lookup);
  return lookup;
}

function groupBy(all: readonly Named[], keyOf: (one: Named) => string): ReadonlyMap<string, readonly Named[]> {
  const groups = new Map<string, Named[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one)) ?? [];
    groups.set(keyOf(one), group);
    group.push(one);
  }
  return groups;
}

function findIn(text: string, { byKind, exact, bare, language }: Lookup): readonly Mention[] {
  const isOurs = (word: string): boolean => isWord(word) || language.words.has(word);
  const tokens = tokenize(text).map(withoutPossessive);
  const found: Mention[] = [];
  const take = (kind: string, name: string, { start, end }: Pick<Token, 'start' | 'end'>): void => {
    // One word can name two things: a server and an environment may both be called local.
    const isFree = found.every(
      (other) =>
        end <= other.start || start >= other.end || (other.start === start && other.end === end && other.kind !== kind),
    );
    if (isFree) found.push({ kind, name, start, end });
  };
  for (const [at, token] of tokens.entries()) {
    const same = exact.get(token.lower) ?? [];
    for (const { kind, name, isClosed } of same)
      if (isClosed || !isOurs(token.lower) || standsAsName(tokens, at, text, kind)) take(kind, name, token);
    for (const [kind, names] of byKind) {
      const alias = (VALUE_ALIASES.get(token.lower) ?? []).find((value) => names.includes(value));
      if (alias !== undefined && !same.some((one) => one.kind === kind)) take(kind, alias, token);
    }
  }
  // Several words together must be the name but for its separators; only a single word may be mistyped.
  for (const run of bare.size > 0 ? runsOf(tokens, text) : []) {
    const same = bare.get(run.written) ?? [];
    for (const { kind } of same) {
      const [only, ...more] = same.filter((one) => one.kind === kind);
      if (only && more.length === 0) take(kind, only.name, run);
    }
  }
  for (const token of tokens) {
    if (token.lower.length < 2 || exact.has(token.lower) || isOurs(token.lower)) continue;
    for (const [kind, names] of byKind) {
      const near = closest(token.lower, names);
      if (near !== null) take(kind, near, token);
    }
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

/** Whether a word means something by itself, whatever is called like it. */
export function isWord(word: string): boolean {
  return isFiller(word) || hasSense(word);
}

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const DETERMINERS = set(
  'a an this my our your last latest running current next free any which what new another some all no first every more',
);
const PREPOSITIONS = set(
  'own owns back of for about on with from at in called named project app application service give gives tell show archive stop mute',
);
const BEFORE_STATES = set("is are does has did was do if how's what's whats hows the");
const AFTER_NAMES = set('project app application has needs wants should is');

/** Whether a word that also means something else stands where a name stands: "how is deploy doing", "archive help". */
function standsAsName(tokens: readonly Token[], at: number, text: string, kind: string): boolean {
  const [before, after] = [tokens[at - 1]?.lower ?? '', tokens[at + 1]?.lower ?? ''];
  const { start, end } = tokens[at] ?? { start: 0, end: 0 };
  if (/["'`]/.test(text[start - 1] ?? '') && /["'`]/.test(text[end] ?? '')) return true;
  if (after === kind || before === kind) return true;
  if (DETERMINERS.has(before) || /^\d+$/.test(after) || after === 'of') return false;
  if (PREPOSITIONS.has(before) || BEFORE_STATES.has(before)) return true;
  if (before === '') return AFTER_NAMES.has(after) || /^v?\d+\.\d/.test(after) || tokens.length === 1;
  return after !== 'for' && means(before, EFFECTS);
}

function withoutPossessive(token: Token): Token {
  if (!token.lower.endsWith("'s")) return token;
  return { lower: token.lower.slice(0, -2), start: token.start, end: token.end - 2 };
}
