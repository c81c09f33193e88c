import { CONCEPTS, CONCEPT_STEMS, type Sense } from './concepts.ts';
import { withPhrases } from './phrases.ts';
import { stem } from './stems.ts';
import { FILLERS, SOFT_WORDS } from './vocabulary.ts';

/** A word of a text and where it stands. `lower` is what is compared, `start` and `end` cut the original. */
export interface Token {
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** Nobody needs more than this to say what they want; the rest of a pasted log is not read. */
const READ_LIMIT = 2_000;
/** The end of a line in the middle of a sentence: after these words something has to follow. */
const UNFINISHED_LINE =
  /\b(the|an?|of|for|on|onto|to|in|into|and|or|with|my|our|their|its|this|that|at|from|by|is|are|please|project|server) *\n\s*(?=\S)/gi;
const WORD = /[§¤][a-z_]+(?:\+[a-z_]+)*|[\p{L}\p{N}]+(?:[-_.'/][\p{L}\p{N}]+)*/gu;

/** What replaces a group of words (§bring) and is no word of the thesaurus by itself. */
const PHRASE_SENSES: ReadonlyMap<string, readonly Sense[]> = new Map([
  ['giveback', [{ meaning: 'REMOVE', share: 1 }]],
  [
    'back',
    [
      { meaning: 'UNDO', share: 0.9 },
      { meaning: 'CHANGE', share: 0.7 },
      { meaning: 'REMOVE', share: 0.5 },
    ],
  ],
  ['bring', [{ meaning: 'DEPLOY', share: 0.9 }]],
  [
    'runs',
    [
      { meaning: 'version', share: 0.7 },
      { meaning: 'DEPLOY', share: 0.7 },
      { meaning: 'HEALTH', share: 0.7 },
    ],
  ],
  [
    'live',
    [
      { meaning: 'DEPLOY', share: 0.7 },
      { meaning: 'version', share: 0.6 },
      { meaning: 'STATUS', share: 0.6 },
    ],
  ],
  [
    'proceed',
    [
      { meaning: 'DEPLOY', share: 0.8 },
      { meaning: 'TAKE', share: 0.8 },
    ],
  ],
  ['occupies', [{ meaning: 'TAKEN', share: 1 }]],
  [
    'fine',
    [
      { meaning: 'HEALTH', share: 0.9 },
      { meaning: 'STATUS', share: 0.7 },
    ],
  ],
]);

/** The text as the planner reads it: one kind of quotes and spaces, no invisible characters, not longer than READ_LIMIT. */
export function cleanText(text: string): string {
  return text
    .slice(0, READ_LIMIT)
    .normalize('NFKC')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’`´]/g, "'")
    .replace(/[\p{Cf}§¤]/gu, '')
    .replace(/(\d)(v?cpus?|cores?)\b/gi, '$1 $2')
    .replace(/\b(w)(?:at|ot)(?=(?:'?s)?\b)/gi, '$1hat')
    .replace(/\b(what|who|where|how)s (?=\p{L})/giu, "$1's ")
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

/** What a word may stand for, the surest first: concepts such as LIST, else its stem. A § marks what a phrase was replaced by. */
export function sensesOf(word: string): readonly Sense[] {
  if (word.startsWith('¤')) return [{ meaning: word, share: 1 }];
  const bare = word.replace(/'s$/, '').replace('§', '');
  const phrase = word.startsWith('§') ? PHRASE_SENSES.get(bare) : undefined;
  return phrase ?? CONCEPTS.get(bare) ?? CONCEPT_STEMS.get(stem(bare)) ?? [{ meaning: stem(bare), share: 1 }];
}

/** The first thing that a word stands for. */
export function meaningOf(word: string): string {
  return sensesOf(word)[0]?.meaning ?? word;
}

/** Whether a word only holds a sentence together. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || FILLERS.has(word.replace(/'s$/, ''));
}

/** The words of a text that say something, in order, with phrases and placeholders (§list, ¤project) as words of their own. */
export function wordsOf(text: string, limit = Infinity): readonly string[] {
  return tokenize(withPhrases(text).replace(/[§¤][a-z_+]+|_/g, (part) => (part === '_' ? ' ' : part)))
    .flatMap((token) => (/^[a-z]+\/[a-z]+$/.test(token.lower) ? token.lower.split('/') : [token.lower]))
    .filter((word) => !isFiller(word) || SOFT_WORDS.has(word))
    .slice(0, limit);
}
