import type { Choice } from '../requests/marks.ts';
import { isSameChoice, isCommonWord } from '../names/mentions.ts';
import { findClosest } from '../names/spelling.ts';
import { isFiller, wordsOf, wordSet } from '../text/tokens.ts';

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const AROUND = wordSet(
  "the one ones option number choice use take pick please pls just let's i'd say go with i mean make it hm hmm um uh well ok okay yes then maybe think probably rather for on to in no nr",
);

/** Finds the choice that a text names by value, label or number, such as "the second one". */
export function pickChoice(text: string, choices: readonly Choice[]): string | null {
  const exact = findExactChoice(text, choices);
  if (exact !== null || choices.length === 0) return exact;
  const words = wordsOf(text).filter((word) => !AROUND.has(word));
  const [only = '', ...more] = words;
  if (more.length === 0) {
    const place = /^\d{1,2}$/.test(only) ? Number(only) - 1 : ORDINALS.indexOf(only);
    if (place >= 0) return choices[place]?.value ?? null;
    if (only === 'last' || only === 'latter') return choices.at(-1)?.value ?? null;
    if (only === 'former') return choices[0]?.value ?? null;
  }
  const content = words.filter((word) => !isFiller(word));
  return /\bnot\b/i.test(text) ? null : byWords(content, choices);
}

/** Finds the choice whose label or value equals the text. */
export function findExactChoice(text: string, choices: readonly Choice[]): string | null {
  const plain = text.replace(/[.!?,\s]+$/, '').toLowerCase();
  const isSame = ({ label, value }: Choice): boolean => [label.toLowerCase(), value.toLowerCase()].includes(plain);
  return choices.find(isSame)?.value ?? null;
}

function byWords(words: readonly string[], choices: readonly Choice[]): string | null {
  if (words.length === 0 || words.length > 3) return null;
  const named = choices.filter(({ label, value }) =>
    words.some((word) => isSameChoice(word, value) || isSameChoice(word, label)),
  );
  if (named.length > 0) return named.length === 1 ? (named[0]?.value ?? null) : null;
  const values = choices.map(({ value }) => value);
  const near = words.some(isCommonWord) ? null : findClosest(words.join(' '), values);
  const [part, ...others] = words.flatMap((word) => namesWithPart(word, values));
  return near ?? (others.length === 0 ? (part ?? null) : null);
}

/** Minimum length of a name part that is looked up; "api" occurs in too many names. */
const SHORTEST_PART = 4;

/** Lists the names that contain the word as a part: billing is a part of billing-api. */
function namesWithPart(word: string, names: readonly string[]): readonly string[] {
  if (word.length < SHORTEST_PART) return [];
  const partsOf = (name: string): readonly string[] => name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const exact = names.filter((name) => partsOf(name).includes(word));
  return exact.length > 0 ? exact : names.filter((name) => findClosest(word, partsOf(name)) !== null);
}
