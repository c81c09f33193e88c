import { splitWords } from '@signalbox/contracts/identifier-words';
import { listSynonyms } from './synonyms.ts';
import { readLiterals, readTerms, toPattern, toStem, type QueryTerm } from './terms.ts';

/** A term with its weight: rare words say more. */
export interface WeighedTerm extends QueryTerm {
  readonly weight: number;
}

/** A synonym counts less than the word itself. */
const SYNONYM_FACTOR = 0.6;

/** Reads the terms of a query with their weights: words that few of the texts contain say more, and one that none contains says nothing. Pure. */
export function measureTerms(query: string, texts: readonly string[]): readonly WeighedTerm[] {
  const all: readonly QueryTerm[] = [
    ...readTerms(query),
    ...readLiterals(query).map((literal) => ({ word: literal.toLowerCase(), isName: true })),
  ];
  const counted = texts.map(readText);
  return [...new Map(all.map((term) => [term.word, term])).values()].map((term) => {
    const count = counted.filter((text) => findTerm(text, term.word) > 0).length;
    return { ...term, weight: count === 0 ? 0 : Math.log(1 + (texts.length + 1) / count) };
  });
}

/** Lists patterns of SQL's `ilike`, of which every text with a term of the query matches one. Pure. */
export function listPatterns(query: string): readonly string[] {
  const words = readTerms(query).flatMap(({ word }) => [
    word,
    ...listSynonyms(word).filter((other) => other.length > 2),
  ]);
  return [...new Set([...words, ...readLiterals(query)].map(toPattern))];
}

/** Returns the share of the terms' weight that a text contains, 0 to 1. Pure. */
export function scoreText(terms: readonly WeighedTerm[], text: string): number {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  const read = readText(text);
  return terms.reduce((sum, { word, weight }) => sum + (weight === 0 ? 0 : weight * findTerm(read, word)), 0) / total;
}

interface ReadText {
  readonly text: string;
  readonly words: readonly string[];
}

function readText(text: string): ReadText {
  return { text: text.toLowerCase(), words: splitWords(text).split(' ') };
}

function findTerm({ text, words }: ReadText, word: string): number {
  if (words.includes(word) || (/[^\p{L}\p{N}]/u.test(word) && text.includes(word))) return 1;
  if (words.some((one) => isForm(one, word))) return 0.9;
  const others = listSynonyms(word);
  return others.length > 0 && words.some((one) => others.includes(one)) ? SYNONYM_FACTOR : 0;
}

/** True for two forms of one word, and for a word that begins with the whole other one. */
function isForm(one: string, other: string): boolean {
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
