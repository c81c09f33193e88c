import { type Sense, STEMMED_THESAURUS, THESAURUS, stem } from './thesaurus.ts';

/** A word of a text and where it stands. `lower` is what is compared, `start` and `end` cut the original. */
export interface Token {
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** Nobody needs more than this to say what they want; the rest of a pasted log is not read. */
const READ_LIMIT = 2_000;
/** The end of a line in the middle of a sentence: after these words something has to follow. */
const UNFINISHED_LINE = /\b(the|an?|of|for|on|to|in|and|or|with|my|our|this|that|at|from|by|is|are) *\n\s*(?=\S)/gi;
const WORD = /[\p{L}\p{N}]+(?:[-_.'/][\p{L}\p{N}]+)*/gu;

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that only hold a sentence together: no name, and no word that tells one tool from another. */
const FILLERS = set(
  'a an the this that these those it its i me my mine we us our you your he him his she her they their them one ones some ' +
    'is are was were be been am do does did has had having have will would can could should shall may might must no not yes ' +
    'of for on in at to from by with into onto as and or but so then than if there here now just only also too via per some ' +
    "please pls plz hey hi hello well let let's lets i'd i'm i'll i've we'd we're we've we'll it's that's there's don't " +
    "got out very really still yet anymore more today's sure maybe thanks thank kindly currently right team bot dear u ur r " +
    "isn't aren't doesn't didn't can't won't wasn't haven't hasn't wouldn't couldn't shouldn't dont doesnt didnt isnt cant wont " +
    'im ive id any about over either neither thx hm hmm um uh oh ah ever always quite rather same other another every',
);

/** The text as the planner reads it: one kind of quotes and spaces, no invisible characters, not longer than READ_LIMIT. */
export function cleanText(text: string): string {
  return text
    .slice(0, READ_LIMIT)
    .normalize('NFKC')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’`´]/g, "'")
    .replace(/[\p{Cf}¤]/gu, '')
    .replace(/\bw[ao]t(?=(?:'?s)?\b)/gi, 'what')
    .replace(/\b(what|who|how|where)s (?=\p{L})/giu, "$1's ")
    .replace(UNFINISHED_LINE, '$1 ')
    .replace(/([^\s.,;:!?])\s*\n\s*(?=\S)/g, '$1. ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Words in order. Hyphens, dots and slashes inside a word belong to it, as in web-1 and 1.4.2. */
export function tokenize(text: string): readonly Token[] {
  return [...text.matchAll(WORD)].map((match) => ({
    lower: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The words of a text in small letters. */
export function wordsOf(text: string): readonly string[] {
  return tokenize(text).map(({ lower }) => lower);
}

/** What a word may stand for, the surest first: concepts such as LIST, else its stem. */
export function sensesOf(word: string): readonly Sense[] {
  const bare = word.replace(/'s$/, '');
  return THESAURUS.get(bare) ?? STEMMED_THESAURUS.get(stem(bare)) ?? [{ meaning: stem(bare), share: 1 }];
}

/** Whether the thesaurus knows a word, in whatever form. */
export function hasSense(word: string): boolean {
  return THESAURUS.has(word) || STEMMED_THESAURUS.has(stem(word));
}

/** Whether a word only holds a sentence together. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || FILLERS.has(word.replace(/'s$/, ''));
}

/** Whether one of the things that a word may stand for is among these. */
export function means(word: string, concepts: ReadonlySet<string>): boolean {
  return sensesOf(word).some(({ meaning }) => concepts.has(meaning));
}
