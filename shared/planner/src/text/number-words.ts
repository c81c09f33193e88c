/** Numbers that are written as words. */

interface WordNumber {
  readonly value: number;
  readonly start: number;
  readonly end: number;
  /** A bare "one" or "a" mostly counts nothing: "the other one". */
  readonly weak: boolean;
}

const UNITS_AND_TEENS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const SMALL: ReadonlyMap<string, number> = new Map([
  ...UNITS_AND_TEENS.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, at) => [word, 20 + 10 * at] as const),
]);
const LARGE: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
]);
const FRACTIONS: ReadonlyMap<string, number> = new Map([
  ['half', 0.5],
  ['quarter', 0.25],
]);
const WORD = /[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu;

/** All numbers in words, with the article that belongs to them: "half a", "two and a half", "three hundred", "a dozen". */
export function findWordNumbers(text: string): readonly WordNumber[] {
  const words = [...text.matchAll(WORD)].flatMap((match) => partsOf(match[0].toLowerCase(), match.index));
  const found: WordNumber[] = [];
  for (let at = 0; at < words.length;) {
    const read = readNumber(words.slice(at, at + 12).map(({ word }) => word));
    const [first, last] = [words[at], words[at + read.words - 1]];
    if (read.words > 0 && first && last) {
      found.push({ value: read.value, start: first.start, end: last.end, weak: read.weak });
      at += read.words;
    } else at++;
  }
  return found;
}

/** twenty-five is two words; web-two is none of ours. */
function partsOf(
  word: string,
  start: number,
): readonly { readonly word: string; readonly start: number; readonly end: number }[] {
  const [tens = '', ones = '', ...more] = word.split('-');
  if (more.length === 0 && (SMALL.get(tens) ?? 0) >= 20 && (SMALL.get(ones) ?? 10) < 10)
    return [
      { word: tens, start, end: start + tens.length },
      { word: ones, start: start + tens.length + 1, end: start + word.length },
    ];
  return [{ word, start, end: start + word.length }];
}

function readNumber(words: readonly string[]): {
  readonly value: number;
  readonly words: number;
  readonly weak: boolean;
} {
  let total = 0;
  let current: number | null = null;
  let at = 0;
  if (['a', 'an'].includes(words[0] ?? '')) {
    // "a dozen", "a half"; "a gig" is left to the unit.
    if (!LARGE.has(words[1] ?? '') && !FRACTIONS.has(words[1] ?? '')) return { value: 0, words: 0, weak: false };
    if (LARGE.has(words[1] ?? '')) current = 1;
    at = 1;
  }
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    const small = SMALL.get(word);
    const large = LARGE.get(word);
    const fraction = FRACTIONS.get(word);
    if (small !== undefined) {
      if (current !== null && (current % 100 < 20 || small >= 10) && current % 100 !== 0) break;
      current = (current ?? 0) + small;
    } else if (large !== undefined && current !== null) {
      if (large >= 1_000) {
        total += current * large;
        current = 0;
      } else current *= large;
    } else if (fraction !== undefined && current === null) {
      const article = ['a', 'an', 'of'].includes(words[at + 1] ?? '') ? 1 : 0;
      return { value: fraction, words: at + 1 + article, weak: false };
    } else if (word === 'and' && current !== null && isHalf(words.slice(at + 1)) > 0) {
      const half = isHalf(words.slice(at + 1));
      return {
        value: total + current + (FRACTIONS.get(words[at + half] ?? '') ?? 0.5),
        words: at + 1 + half,
        weak: false,
      };
    } else if (word === 'and' && current !== null && current >= 100 && SMALL.has(words[at + 1] ?? '')) continue;
    else break;
  }
  if (current === null) return { value: 0, words: 0, weak: false };
  const value = total + current;
  return { value, words: at, weak: value === 1 && at === 1 };
}

/** How many words "a half" takes: 2, 1 without the article, 0 when it is none. */
function isHalf(words: readonly string[]): number {
  if (['a', 'an'].includes(words[0] ?? '') && FRACTIONS.has(words[1] ?? '')) return 2;
  return FRACTIONS.has(words[0] ?? '') ? 1 : 0;
}
