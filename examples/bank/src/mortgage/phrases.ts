/** A place in a text, as offsets. */
export interface Span {
  readonly at: number;
  readonly end: number;
}

/** The number of other words that may stand between two words of a phrase: "pay it back early" says "pay early". */
const MAX_BETWEEN = 2;
const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\d]/u;

/** Splits a list of the catalog into its phrases: `pay off early|overpay`. */
export function listPhrases(list: string): readonly string[] {
  return list
    .split('|')
    .map((phrase) => phrase.trim().toLowerCase())
    .filter((phrase) => phrase !== '');
}

/** Finds the places where a phrase of the list begins at the start of a word, in scripts with words. Pure. */
export function spansOf(text: string, list: string): readonly Span[] {
  return listPhrases(list).flatMap((phrase) => {
    const spans: Span[] = [];
    for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1))
      if (beginsWord(text, at, phrase)) spans.push({ at, end: at + phrase.length });
    return spans;
  });
}

/** True when the text has a phrase of the list: the beginnings of its words, in order, with few others between them. Pure. */
export function saysOne(text: string, list: string): boolean {
  if (spansOf(text, list).length > 0) return true;
  const words = text.split(/[^\p{L}\p{N}'-]+/u);
  return listPhrases(list).some((phrase) => {
    const pieces = phrase.split(' ');
    return pieces.length > 1 && words.some((_, from) => followsFrom(words, from, pieces));
  });
}

function followsFrom(words: readonly string[], from: number, pieces: readonly string[]): boolean {
  let place = from;
  for (const [order, piece] of pieces.entries()) {
    const reach = order === 0 ? 1 : MAX_BETWEEN + 1;
    const found = words.slice(place, place + reach).findIndex((word) => word.startsWith(piece));
    if (found === -1) return false;
    place += found + 1;
  }
  return true;
}

/** Checks only that the phrase begins a word, because words have various endings. */
function beginsWord(text: string, at: number, phrase: string): boolean {
  return !(LETTER.test(phrase.charAt(0)) && LETTER.test(text.charAt(at - 1)));
}
