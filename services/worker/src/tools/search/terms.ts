import { splitIdentifier } from '@signalbox/contracts/identifier-words';

/** A word of a query, in lower case. `isName`: it looks like a name in code, such as `readHeader` or `max_size`. */
export interface QueryTerm {
  readonly word: string;
  readonly isName: boolean;
}

/** The searched part of a query, in characters; the rest of a long paste only adds noise. */
const MAX_QUERY_LENGTH = 300;
const MAX_TERMS = 16;
const MAX_LITERALS = 3;
const MIN_LITERAL_LENGTH = 4;

/** Words that say nothing about what is searched. Words of other languages are as rare in code and logs as they are useless. */
const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been before being between both but by can could did do does doing down during
   each few for from further get gets had has have having he her here hers him his how i if in into is it its itself just let me more most
   my no nor not now of off on once only or other our out over own same she should so some such than that the their them then there these
   they this those through to too under until up us use used uses using very was we were what when where which while who whom why will with
   would you your happen happens tell show find code file defined`.split(/\s+/),
);

/** Lists the words of a query that a search is about, each once: names whole and by their parts. Pure. */
export function readTerms(query: string): readonly QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const add = (word: string, isName: boolean): void => {
    if (word.length > 1 || /\p{L}/u.test(word)) if (!terms.has(word)) terms.set(word, { word, isName });
  };
  for (const [word] of query.slice(0, MAX_QUERY_LENGTH).matchAll(/[\p{L}\p{N}_$]+/gu)) {
    const parts = splitIdentifier(word);
    const isName = parts.length > 1;
    const whole = word.replace(/^[_$]+|[_$]+$/g, '').toLowerCase();
    if (whole !== '') add(whole, isName);
    if (isName) for (const part of parts) add(part, false);
  }
  const all = [...terms.values()];
  const telling = all.filter(({ word }) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TERMS);
}

/** Lists the parts of a query that are searched letter by letter: quoted ones, and those with signs such as `x-request-id`. Pure. */
export function readLiterals(query: string): readonly string[] {
  const text = query.slice(0, MAX_QUERY_LENGTH);
  const quoted = [...text.matchAll(/["“„«`']([^"“”„«»`']{2,100})["”“»`']/g)].map(([, inner = '']) => inner.trim());
  const signed = text.split(/\s+/).flatMap((word) => {
    const bare = word.replace(/^[^\p{L}\p{N}/.$_-]+|[^\p{L}\p{N}()$_]+$/gu, '');
    return /[\p{L}\p{N}][-_.:/$][\p{L}\p{N}]|\p{Ll}\p{Lu}|\(\)?$|^__?\p{L}/u.test(bare)
      ? [bare.replace(/\(\)?$/, '')]
      : [];
  });
  return [...new Set([...quoted, ...signed])].filter((one) => one.length >= MIN_LITERAL_LENGTH).slice(0, MAX_LITERALS);
}

/** Returns the beginning by which forms of a word are alike: `deploying`, `deployed` and `deploys` begin with `deploy`. Pure. */
export function toStem(word: string): string {
  if (word.length <= 4) return word;
  const bare = word.replace(/(?:ations?|ating|ated|ates?|ings?|ions?|ies|ied|ed|es|s|e|y)$/, '');
  return bare.length >= 3 ? bare : word;
}

/** Returns a pattern of SQL's `ilike` that the forms of a word match. It matches too much, never too little. Pure. */
export function toPattern(word: string): string {
  return `%${toStem(word).replace(/[\\%_]/g, '\\$&')}%`;
}
