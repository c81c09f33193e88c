import type { NameWords } from '@signalbox/contracts/name-words';
import { isWord } from './names/mentions.ts';
import { toBareName } from './names/spelling.ts';
import { cleanText, tokenize } from './text/tokens.ts';

/** More texts, and words, are not looked at: those of a pasted log are no names, and every one costs a look into an index. */
const MAX_TEXTS = 30;
const MAX_WORDS = 500;
/** Nearly all that people write are everyday words, which are no slips of names. */
const MAX_NEAR = 16;
/** A name is not longer, and nothing shorter is taken for a slip. */
const LONGEST_NAME = 40;
const SHORTEST_SLIP = 3;

/** The words of texts, the newest first, that may name something. Pure. */
export function nameWords(texts: readonly string[]): NameWords {
  const [exact, bare, near] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const mayBeName = (word: string): boolean => word !== '' && word.length <= LONGEST_NAME;
  for (const text of texts.slice(0, MAX_TEXTS)) {
    const all = tokenize(cleanText(text)).map(({ lower }) => lower.replace(/'s$/, ''));
    const words = all.slice(0, Math.max(0, MAX_WORDS - exact.size));
    for (const [at, word] of words.entries()) {
      // "shop/staging" and "the shop_api" name something too.
      [word, ...word.split(/[/_.']/)].filter(mayBeName).forEach((name) => exact.add(name));
      const runs = [1, 2, 3].map((length) => toBareName(words.slice(at, at + length).join('')));
      runs.filter(mayBeName).forEach((name) => bare.add(name));
      if (near.size < MAX_NEAR && word.length >= SHORTEST_SLIP && mayBeName(word) && !isWord(word)) near.add(word);
    }
  }
  return { exact: [...exact], bare: [...bare], near: [...near] };
}
