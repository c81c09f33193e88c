import type { NameWords } from '@signalbox/contracts/name-words';
import { isWord } from './names/mentions.ts';
import { bareName } from './names/spelling.ts';
import { cleanText, tokenize } from './text/tokens.ts';

/** More texts, and words, are not looked at: those of a pasted log are no names, and every one costs a look into an index. */
const MOST_TEXTS = 30;
const MOST_WORDS = 500;
/** Nearly all that people write are everyday words, which are no slips of names. */
const MOST_NEAR = 16;
/** A name is not longer, and nothing shorter is taken for a slip. */
const LONGEST_NAME = 40;
const SHORTEST_SLIP = 3;

/** The words of texts, the newest first, that may name something. Pure. */
export function nameWords(texts: readonly string[]): NameWords {
  const [exact, bare, near] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const text of texts.slice(0, MOST_TEXTS)) {
    const all = tokenize(cleanText(text)).map(({ lower }) => lower.replace(/'s$/, ''));
    const words = all.slice(0, Math.max(0, MOST_WORDS - exact.size));
    // "shop/staging" and "the shop_api" name something too.
    addAll(exact, words.flatMap((word) => [word, ...word.split(/[/_.']/)]).filter(mayBeName));
    addAll(bare, words.flatMap((_, at) => runsFrom(words, at)).filter(mayBeName));
    addAll(near, words.filter(mayBeSlip).slice(0, Math.max(0, MOST_NEAR - near.size)));
  }
  return { exact: [...exact], bare: [...bare], near: [...near] };
}

function addAll(set: Set<string>, words: readonly string[]): void {
  for (const word of words) set.add(word);
}

function runsFrom(words: readonly string[], at: number): readonly string[] {
  return [1, 2, 3].map((length) => bareName(words.slice(at, at + length).join('')));
}

function mayBeName(word: string): boolean {
  return word !== '' && word.length <= LONGEST_NAME;
}

function mayBeSlip(word: string): boolean {
  return word.length >= SHORTEST_SLIP && mayBeName(word) && !isWord(word);
}
