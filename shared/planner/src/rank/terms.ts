import { isFiller, sensesOf, stem, tokenize } from '../text/tokens.ts';
import { type KnownNames, type Mention, findMentions } from '../names/mentions.ts';
import { type Span, findAddresses, findPaths, findQuantities, findQuoted, findVersions } from '../text/values.ts';

/** The terms of one word, each with its certainty. A term is a stem, a thesaurus concept (LIST) or a kind of value (¤name, ¤number). */
export type WordTerms = ReadonlyMap<string, number>;

/** A part of a text that is a value, with the terms for its kind. */
interface Value extends Span {
  readonly term: string;
}

export const toTermValue =
  (term: string) =>
  ({ start, end }: Span): Value => ({ term, start, end });

/** The term for several things in general, as in "ports of shop", which usually asks for a list. */
const MANY: WordTerms = new Map([['¤many', 1]]);

/** Returns one set of terms per word or value. `values`: positions and kinds of values. `correct`: fixes a mistyped word. */
export function listTerms(
  text: string,
  values: readonly Value[],
  correct: (word: string) => string = (word) => word,
): readonly WordTerms[] {
  const kinds = [...new Set(values.map(({ term }) => term))].map((term) => new Map([[term, 1]]));
  // "Set up" becomes one word; the added blank keeps all other offsets.
  const written = tokenize(text.replace(/\bset up\b/gi, 'setup ')).filter(
    ({ lower, start, end }) => !isFiller(lower) && !values.some((value) => start < value.end && end > value.start),
  );
  const words = written.flatMap(({ lower }) => lower.split(/[_/]/)).map(correct);
  const many = words.some((word) => /[^us]s$/.test(word)) ? [MANY] : [];
  return [...kinds, ...many, ...[...new Set(words)].map(meaningsOf)];
}

function meaningsOf(word: string): WordTerms {
  return new Map([...sensesOf(word).map(({ meaning, share }) => [meaning, share] as const), [stem(word), 1]]);
}

/** Finds the values in a person's text: known names, versions, addresses, quotations and numbers. */
export function findValues(text: string, mentions: readonly Mention[]): readonly Value[] {
  const names = mentions.map((one) =>
    toTermValue(one.kind === 'project' || one.kind === 'server' ? '¤name' : `¤${one.kind}`)(one),
  );
  const numbers = findQuantities(text).map((one) => {
    const isVersion = one.unit === null && /\d\.\d/.test(text.slice(one.start, one.end));
    if (isVersion) return toTermValue('¤version')(one);
    return toTermValue(one.unit === null ? '¤number' : '¤size')(one);
  });
  const others = [
    ...[...findAddresses(text), ...findPaths(text)].map(toTermValue('¤url')),
    ...findQuoted(text).map(toTermValue('¤quoted')),
    ...findVersions(text).map(toTermValue('¤version')),
    ...numbers,
  ];
  return [...names, ...others.filter(({ start, end }) => names.every((one) => end <= one.start || start >= one.end))];
}

/** Returns the terms of a hint. An example name in the hint matches any name, and a value of a closed set any value of that set. */
export function listHintTerms(hint: string, examples: ReadonlySet<string>, closed: KnownNames): readonly WordTerms[] {
  const names = tokenize(hint).filter(({ lower }) => examples.has(lower));
  const values = findValues(hint, findMentions(hint, NOTHING, { closed, words: NO_WORDS }));
  return listTerms(hint, [...names.map(toTermValue('¤name')), ...values]);
}

const NOTHING = { known: {} };
const NO_WORDS: ReadonlySet<string> = new Set();
