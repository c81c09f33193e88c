import { CONCEPTS, FILLERS, PHRASES } from './vocabulary.ts';

/** A word of a text and where it stands. `lower` is what is compared, `start` and `end` cut the original. */
export interface Token {
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** Nobody needs more than this to say what they want; the rest of a pasted log is not read. */
const READ_LIMIT = 2_000;
const WORD = /[§¤][a-z_]+(?:\+[a-z_]+)*|[\p{L}\p{N}]+(?:[-_.'/][\p{L}\p{N}]+)*/gu;

/** The text as the planner reads it: one kind of quotes and spaces, no invisible characters, not longer than READ_LIMIT. */
export function cleanText(text: string): string {
  return text
    .slice(0, READ_LIMIT)
    .normalize('NFKC')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’`´]/g, "'")
    .replace(/[\p{Cf}§¤]/gu, '')
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

/** Cuts the common English endings, so that archive, archives and archived meet. */
export function stem(word: string): string {
  if (/[¤\d]/.test(word)) return word;
  let base = word;
  if (base.length > 4 && base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (base.length > 3 && /[^sui]s$/.test(base)) base = base.slice(0, -1);
  if (base.length > 5 && base.endsWith('ing')) base = base.slice(0, -3);
  else if (base.length > 4 && base.endsWith('ed')) base = base.slice(0, -2);
  if (/([^aeiouls])\1$/.test(base)) base = base.slice(0, -1);
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base;
}

/** What a word stands for: a concept such as LIST, else its stem. A § marks a word that a phrase was replaced by. */
export function meaningOf(word: string): string {
  const bare = word.replace(/'s$/, '').replace('§', '');
  return CONCEPTS.get(bare) ?? CONCEPTS.get(stem(bare)) ?? stem(bare);
}

/** Whether a word only holds a sentence together. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || FILLERS.has(word.replace(/'s$/, ''));
}

/** The meanings in a text, without fillers, in order. ¤project stands for a name that has been recognized before. */
export function meaningsOf(
  text: string,
  meaning: (word: string) => string = meaningOf,
  limit = Infinity,
): readonly string[] {
  let plain = text.toLowerCase().replace(/\s+/g, ' ').trim();
  for (const [phrase, concept] of PHRASES) plain = plain.replace(phrase, ` ${concept} `);
  return tokenize(plain.replaceAll('_', ' '))
    .flatMap((token) => (/^[a-z]+\/[a-z]+$/.test(token.lower) ? token.lower.split('/') : [token.lower]))
    .filter((word) => !isFiller(word))
    .slice(0, limit)
    .map(meaning);
}
