import { splitWords } from '@signalbox/contracts/identifier-words';
import { toStem, type QueryTerm } from './terms.ts';

/** A term with its weight: rare words say more. */
export interface WeighedTerm extends QueryTerm {
  readonly weight: number;
}

/** Weighs terms by how few of the texts contain them. Pure. */
export function measureTerms(terms: readonly QueryTerm[], texts: readonly string[]): readonly WeighedTerm[] {
  const sets = texts.map((text) => splitWords(text).split(' '));
  return terms.map((term) => {
    const count = sets.filter((words) => words.some((word) => isForm(word, term.word))).length;
    return { ...term, weight: Math.log(1 + (texts.length + 1) / (count + 1)) };
  });
}

/** Returns the share of the terms' weight that a text contains, 0 to 1. Pure. */
export function scoreText(terms: readonly WeighedTerm[], text: string): number {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  const words = splitWords(text).split(' ');
  return terms.reduce((sum, { word, weight }) => sum + weight * findForm(words, word), 0) / total;
}

function findForm(words: readonly string[], word: string): number {
  if (words.includes(word)) return 1;
  return words.some((one) => isForm(one, word)) ? 0.9 : 0;
}

/** True for two forms of one word, and for a word that begins with the whole other one. */
function isForm(one: string, other: string): boolean {
  if (one === other) return true;
  if (other.length >= 4 && one.startsWith(other)) return true;
  const stem = toStem(other);
  return stem.length >= 3 && toStem(one) === stem;
}

const EXCERPT_LINES = 6;
const EXCERPT_LENGTH = 400;

/** Picks the line of a passage that says most about the terms, and the lines around it. `line`: number of the passage's first line. Pure. */
export function pickLines(
  terms: readonly WeighedTerm[],
  { content, line, names }: { readonly content: string; readonly line: number; readonly names: readonly string[] },
): { readonly line: number; readonly excerpt: string } {
  const lines = content.split('\n');
  let [best, at] = [-1, 0];
  for (const [index, text] of lines.entries()) {
    const defines = names.some((name) => text.includes(name));
    const score = scoreText(terms, text) * (defines ? 1.6 : 1);
    if (score > best) [best, at] = [score, index];
  }
  const from = Math.max(0, at - 1);
  const shown: string[] = [];
  let room = EXCERPT_LENGTH;
  for (const text of lines.slice(from, from + EXCERPT_LINES)) {
    room -= text.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(text.slice(0, EXCERPT_LENGTH).toWellFormed());
  }
  return { line: line + at, excerpt: shown.join('\n').trimEnd() };
}
