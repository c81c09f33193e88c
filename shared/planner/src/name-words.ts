import type { NameWords } from '@signalbox/contracts/name-words';
import { isCommonWord } from './names/mentions.ts';
import { toBareName } from './names/spelling.ts';
import { cleanText, tokenize } from './text/tokens.ts';

/** Limits on texts and words: every word costs an index lookup, and pasted logs contain no names. */
const MAX_TEXTS = 30;
const MAX_WORDS = 500;
/** Maximum number of words to compare with similar names; most words are everyday words, not mistyped names. */
const MAX_NEAR = 16;
/** Lengths: names are at most 40 characters, and short words do not count as mistyped names. */
const LONGEST_NAME = 40;
const SHORTEST_SLIP = 3;

/** Collects the words of texts, newest text first, that may be names. Pure. */
export function findNameWords(texts: readonly string[]): NameWords {
  const [exact, bare, near] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const mayBeName = (word: string): boolean => word !== '' && word.length <= LONGEST_NAME;
  for (const text of texts.slice(0, MAX_TEXTS)) {
    const all = tokenize(cleanText(text)).map(({ lower }) => lower.replace(/'s$/, ''));
    const words = all.slice(0, Math.max(0, MAX_WORDS - exact.size));
    for (const [at, word] of words.entries()) {
      // Names also occur inside words, as in "shop/staging" and "the shop_api".
      [word, ...word.split(/[/_.']/)].filter(mayBeName).forEach((name) => exact.add(name));
      const runs = [1, 2, 3].map((length) => toBareName(words.slice(at, at + length).join('')));
      runs.filter(mayBeName).forEach((name) => bare.add(name));
      if (near.size < MAX_NEAR && word.length >= SHORTEST_SLIP && mayBeName(word) && !isCommonWord(word))
        near.add(word);
    }
  }
  return { exact: [...exact], bare: [...bare], near: [...near] };
}
