import { type IndexedTool, type ToolIndex } from './tool-index.ts';
import { type WordTerms, listTerms, toTermValue, findValues } from './terms.ts';
import { getValueKind } from '../slots/field-kinds.ts';
import { findGitRefs, isPlainWord } from '../slots/refs.ts';
import type { Field } from '../slots/schema.ts';
import { isNumber } from '../slots/numbers.ts';
import { type Mention, findUnknownNames, isCommonWord } from '../names/mentions.ts';
import { findClosest } from '../names/spelling.ts';
import { hasUnit } from '../text/values.ts';

/** A tool, with a score from 0 to 1 of how well a text asks for it. */
export interface RankedTool {
  readonly tool: IndexedTool;
  readonly score: number;
}

/** Similarity from which a text counts as a repetition of the hint, so that nothing else about the tool is compared. */
export const WORD_BY_WORD = 0.97;
/** Weight of a tool's full description, compared with the weight of its nearest hint. */
const ABOUT = 0.3;
/** Factor by which each value that the tool cannot take lowers the score. */
const FOREIGN_VALUE = 0.65;

/** Caches the ranks of a text by its mentions: one message is ranked for its conditions, its step and other agents. */
const remembered = new WeakMap<
  readonly Mention[],
  { readonly text: string; readonly index: ToolIndex; readonly ranks: readonly RankedTool[] }
>();

/** Ranks all tools, best first, by the similarity of the text to hints and descriptions. Rare words have a higher weight (tf-idf). */
export function rankTools(text: string, mentions: readonly Mention[], index: ToolIndex): readonly RankedTool[] {
  const before = remembered.get(mentions);
  if (before?.text === text && before.index === index) return before.ranks;
  const ranks = computeRanks(text, mentions, index);
  remembered.set(mentions, { text, index, ranks });
  return ranks;
}

function computeRanks(text: string, mentions: readonly Mention[], index: ToolIndex): readonly RankedTool[] {
  const unknown = ['project', 'server'].flatMap((kind) => findUnknownNames(text, kind, mentions, index.words));
  const refs = findGitRefs(text, mentions, false).filter(({ value }) => !isPlainWord(value));
  const values = [
    ...findValues(text, mentions),
    ...unknown.map(toTermValue('¤name')),
    ...refs.map(toTermValue('¤version')),
  ];
  const said = listTerms(text, values, (word) => correct(word, index));
  const kinds = new Set([...mentions.map(({ kind }) => kind), ...values.map(({ term }) => term)]);
  return index.tools
    .map((tool) => {
      const nearest = Math.max(0, ...tool.hints.map((hint) => likeness(said, hint, index)));
      const isHint = nearest >= WORD_BY_WORD;
      const score = isHint ? 1 : (1 - ABOUT) * nearest + ABOUT * likeness(said, tool.about, index);
      return { tool, score: score * FOREIGN_VALUE ** foreignValues(tool, kinds) };
    })
    .toSorted((left, right) => right.score - left.score);
}

/** Returns the known word that was mistyped; the given word when no known word or several are near. */
function correct(word: string, { words }: ToolIndex): string {
  if (word.length < SHORTEST_SLIP || /\d/.test(word) || isCommonWord(word) || words.has(word)) return word;
  return (
    findClosest(
      word,
      [...words].filter((one) => one.length >= SHORTEST_SLIP),
    ) ?? word
  );
}

const SHORTEST_SLIP = 4;

/** Returns the similarity of a text and a hint: the geometric mean of the two shares of common words, weighted by word rarity. */
function likeness(said: readonly WordTerms[], hint: readonly WordTerms[], index: ToolIndex): number {
  return Math.sqrt(covered(said, hint, index) * covered(hint, said, index));
}

function covered(words: readonly WordTerms[], by: readonly WordTerms[], { weightOf }: ToolIndex): number {
  let sum = 0;
  let all = 0;
  for (const word of words) {
    const own = weightOf(word);
    all += own;
    sum += own * by.reduce((best, other) => Math.max(best, alike(word, other)), 0);
  }
  return all === 0 ? 0 : sum / all;
}

function alike(word: WordTerms, other: WordTerms): number {
  let best = 0;
  for (const [term, share] of word) best = Math.max(best, share * (other.get(term) ?? 0));
  return best;
}

/** Counts the kinds of values for which the tool has no field. */
function foreignValues({ fields, installed }: IndexedTool, kinds: ReadonlySet<string>): number {
  const named = (kind: string) => (field: Field) => field.entity === kind || field.entity === 'name';
  const takers: Readonly<Record<string, (field: Field) => boolean>> = {
    project: named('project'),
    server: named('server'),
    environment: named('environment'),
    '¤version': (field) => getValueKind(field) === 'version' || isNumber(field),
    '¤size': (field) => isNumber(field) && hasUnit(field.name),
    '¤url': (field) => getValueKind(field) === 'address' || /path$/i.test(field.name),
  };
  return installed ? [...kinds].filter((kind) => takers[kind] && !fields.some(takers[kind])).length : 0;
}
