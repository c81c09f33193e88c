import { type IndexedTool, type ToolIndex } from './tool-index.ts';
import { type Word, termsOf, valueOf, valuesIn } from './terms.ts';
import { getKind } from '../slots/field-kinds.ts';
import { findRefs, isPlainWord } from '../slots/refs.ts';
import type { Field } from '../slots/schema.ts';
import { isNumber } from '../slots/numbers.ts';
import { type Mention, findUnknownNames, isWord } from '../names/mentions.ts';
import { findClosest } from '../names/spelling.ts';
import { hasUnit } from '../text/values.ts';

/** A tool and how well a text asks for it, from 0 to 1. */
export interface Match {
  readonly tool: IndexedTool;
  readonly score: number;
}

/** So like a hint is a text that repeats it; what else is written about the tool counts for nothing then. */
const WORD_BY_WORD = 0.97;
/** How much all that is written about a tool counts beside its nearest hint. */
const ABOUT = 0.3;
/** A value that a tool cannot take speaks against it. */
const FOREIGN_VALUE = 0.65;

/**
 * All tools, best first, by how like the text is to the nearest hint of each and to all that is written about it. Words weigh more the fewer
 * tools speak of them (tf-idf).
 */
export function rankTools(text: string, mentions: readonly Mention[], index: ToolIndex): readonly Match[] {
  const unknown = ['project', 'server'].flatMap((kind) => findUnknownNames(text, kind, mentions, index.words));
  const refs = findRefs(text, mentions, false).filter(({ value }) => !isPlainWord(value));
  const values = [...valuesIn(text, mentions), ...unknown.map(valueOf('¤name')), ...refs.map(valueOf('¤version'))];
  const said = termsOf(text, values, (word) => correct(word, index));
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

/** The word of ours that was mistyped; the word itself when none is near, or several are. */
function correct(word: string, { words }: ToolIndex): string {
  if (word.length < SHORTEST_SLIP || /\d/.test(word) || isWord(word) || words.has(word)) return word;
  return (
    findClosest(
      word,
      [...words].filter((one) => one.length >= SHORTEST_SLIP),
    ) ?? word
  );
}

const SHORTEST_SLIP = 4;

/** How much of a text a hint covers, and of the hint the text, as their geometric mean; words weigh by how few tools speak of them. */
function likeness(said: readonly Word[], hint: readonly Word[], index: ToolIndex): number {
  return Math.sqrt(covered(said, hint, index) * covered(hint, said, index));
}

function covered(words: readonly Word[], by: readonly Word[], { weightOf }: ToolIndex): number {
  let sum = 0;
  let all = 0;
  for (const word of words) {
    const own = weightOf(word);
    all += own;
    sum += own * by.reduce((best, other) => Math.max(best, alike(word, other)), 0);
  }
  return all === 0 ? 0 : sum / all;
}

function alike(word: Word, other: Word): number {
  let best = 0;
  for (const [term, share] of word) best = Math.max(best, share * (other.get(term) ?? 0));
  return best;
}

/** How many kinds of values were said that the tool has no field for. */
function foreignValues({ fields, installed }: IndexedTool, kinds: ReadonlySet<string>): number {
  const named = (kind: string) => (field: Field) => field.entity === kind || field.entity === 'name';
  const takers: Readonly<Record<string, (field: Field) => boolean>> = {
    project: named('project'),
    server: named('server'),
    environment: named('environment'),
    '¤version': (field) => getKind(field) === 'version' || isNumber(field),
    '¤size': (field) => isNumber(field) && hasUnit(field.name),
    '¤url': (field) => getKind(field) === 'address',
  };
  return installed ? [...kinds].filter((kind) => takers[kind] && !fields.some(takers[kind])).length : 0;
}
