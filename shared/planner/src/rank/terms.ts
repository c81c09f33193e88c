import { isFiller, sensesOf, stem, tokenize } from '../text/tokens.ts';
import { type KnownNames, type Mention, findMentions } from '../names/mentions.ts';
import { type Span, findAddresses, findQuantities, findQuoted, findVersions } from '../text/values.ts';

/** What one word of a text may stand for: its stem, concepts of the thesaurus (LIST), or the kind of a value (¤name, ¤number), each with how surely. */
export type Word = ReadonlyMap<string, number>;

/** A stretch of a text that is a value, by the kind that stands for it. */
interface Value extends Span {
  readonly term: string;
}

export const valueOf =
  (term: string) =>
  ({ start, end }: Span): Value => ({ term, start, end });

/** Who names several things mostly wants to see them: "ports of shop" is no port for shop. */
const MANY: Word = new Map([['¤many', 1]]);

/** The terms of a text, for ranking tools: one per word or value. `values`: where values stand, and their kinds. `correct` mends a mistyped word. */
export function termsOf(
  text: string,
  values: readonly Value[],
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
export function valuesIn(text: string, mentions: readonly Mention[]): readonly Value[] {
  const names = mentions.map((one) =>
    valueOf(one.kind === 'project' || one.kind === 'server' ? '¤name' : `¤${one.kind}`)(one),
  );
  const numbers = findQuantities(text).map((one) => {
    const isVersion = one.unit === null && /\d\.\d/.test(text.slice(one.start, one.end));
    if (isVersion) return valueOf('¤version')(one);
    return valueOf(one.unit === null ? '¤number' : '¤size')(one);
  });
  const others = [
    ...findAddresses(text).map(valueOf('¤url')),
    ...findQuoted(text).map(valueOf('¤quoted')),
    ...findVersions(text).map(valueOf('¤version')),
    ...numbers,
  ];
  return [...names, ...others.filter(({ start, end }) => names.every((one) => end <= one.start || start >= one.end))];
}

/** The terms of a hint: example names stand for any name, and values of closed kinds for any of the kind. */
export function listHintTerms(hint: string, examples: ReadonlySet<string>, closed: KnownNames): readonly Word[] {
  const names = tokenize(hint).filter(({ lower }) => examples.has(lower));
  const values = valuesIn(hint, findMentions(hint, NOTHING, { closed, words: NO_WORDS }));
  return termsOf(hint, [...names.map(valueOf('¤name')), ...values]);
}

const NOTHING = { known: {} };
const NO_WORDS: ReadonlySet<string> = new Set();
