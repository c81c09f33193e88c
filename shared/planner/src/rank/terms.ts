import { isFiller, sensesOf, stem, tokenize } from '../text/tokens.ts';
import { type KnownNames, type Mention, findMentions } from '../names/mentions.ts';
import { findAddresses, findQuantities, findQuoted, findVersions } from '../text/values.ts';

/** What one word of a text may stand for: its stem, concepts of the thesaurus (LIST), or the kind of a value (¤name, ¤number), each with how surely. */
export type Word = ReadonlyMap<string, number>;

/** Who names several things mostly wants to see them: "ports of shop" is no port for shop. */
const MANY: Word = new Map([['¤many', 1]]);

/** The words of a text in which values are known: `values` are their places and kinds. `correct` mends a mistyped word. */
export function termsOf(
  text: string,
  values: readonly { readonly term: string; readonly start: number; readonly end: number }[],
  correct: (word: string) => string = (word) => word,
): readonly Word[] {
  const kinds = [...new Set(values.map(({ term }) => term))].map((term) => new Map([[term, 1]]));
  // "Set up" is one verb; the blank keeps the places of all else.
  const written = tokenize(text.replace(/\bset up\b/gi, 'setup ')).filter(
    ({ lower, start, end }) => !isFiller(lower) && !values.some((value) => start < value.end && end > value.start),
  );
  const words = written.flatMap(({ lower }) => lower.split(/[_/]/)).map(correct);
  const many = words.some((word) => /[^us]s$/.test(word)) ? [MANY] : [];
  return [...kinds, ...many, ...[...new Set(words)].map(meaningsOf)];
}

function meaningsOf(word: string): Word {
  return new Map([...sensesOf(word).map(({ meaning, share }) => [meaning, share] as const), [stem(word), 1]]);
}

/** The values in what a person says: known names, versions, addresses, quotes, numbers. */
export function valuesIn(text: string, mentions: readonly Mention[]) {
  const as = (term: string) => (place: { readonly start: number; readonly end: number }) => ({
    term,
    start: place.start,
    end: place.end,
  });
  const names = mentions.map(({ kind, start, end }) => ({
    term: kind === 'project' || kind === 'server' ? '¤name' : `¤${kind}`,
    start,
    end,
  }));
  const isFree = ({ start, end }: { readonly start: number; readonly end: number }) =>
    names.every((one) => end <= one.start || start >= one.end);
  const sizes = findQuantities(text).map(({ unit, start, end }) => {
    if (unit !== null) return { term: '¤size', start, end };
    return { term: /\d\.\d/.test(text.slice(start, end)) ? '¤version' : '¤number', start, end };
  });
  return [
    ...names,
    ...findAddresses(text).map(as('¤url')),
    ...findQuoted(text).map(as('¤quoted')),
    ...findVersions(text).map(as('¤version')),
    ...sizes,
  ].filter((one) => names.includes(one) || isFree(one));
}

/** The terms of a hint: example names stand for any name, and values of closed kinds for any of the kind. */
export function hintTerms(hint: string, examples: ReadonlySet<string>, closed: KnownNames): readonly Word[] {
  const names = tokenize(hint)
    .filter(({ lower }) => examples.has(lower))
    .map(({ start, end }) => ({ term: '¤name', start, end }));
  const values = valuesIn(hint, findMentions(hint, NOTHING, { closed, words: NO_WORDS }));
  return termsOf(hint, [...names, ...values]);
}

const NOTHING = { known: {} };
const NO_WORDS: ReadonlySet<string> = new Set();
