import { type IndexedTool, type ToolIndex } from './tool-index.ts';
import { type Word, termsOf, valuesIn } from './terms.ts';
import { hasTellingForm, takesAddress, takesOneWord, takesVersion } from '../slots/field-kinds.ts';
import { problemOf } from '../slots/schema.ts';
import { isNumber } from '../slots/numbers.ts';
import { type Mention, isWord } from '../names/mentions.ts';
import { closest } from '../names/spelling.ts';
import { findUnknownNames } from '../names/unknown-names.ts';
import { hasUnit } from '../text/values.ts';

/** A tool and how well a text asks for it: 0 to 1, and 2 for the words of a hint themselves. */
export interface Match {
  readonly tool: IndexedTool;
  readonly score: number;
}

/** The likeness of a text to a hint that it repeats, and its score: nothing else comes near. */
const WORD_BY_WORD = 0.97;
const REPEATED = 2;
/** How much all that is written about a tool counts beside its nearest hint. */
const ABOUT = 0.3;
/** A value that a tool cannot take speaks against it, one that only few tools take for it. */
const FOREIGN_VALUE = 0.65;
const OWN_FORM = 1.3;
/** What the conversation is about counts this much when a text points at it. */
const SPOKEN_OF = 0.6;

/**
 * All tools, best first, by how like the text is to the nearest hint of each and to all that is written about it. Words weigh more the fewer
 * tools speak of them (tf-idf). `more` are terms that the conversation adds.
 */
export function rankTools(
  text: string,
  mentions: readonly Mention[],
  index: ToolIndex,
  more: readonly string[] = [],
): readonly Match[] {
  const unknown = ['project', 'server'].flatMap((kind) => findUnknownNames(text, kind, mentions, index.words));
  const values = [...valuesIn(text, mentions), ...unknown.map(({ start, end }) => ({ term: '¤name', start, end }))];
  const said = [
    ...more.map((term) => new Map([[term, SPOKEN_OF]])),
    ...termsOf(text, values, (word) => correct(word, index)),
  ];
  const kinds = new Set([...mentions.map(({ kind }) => kind), ...values.map(({ term }) => term)]);
  return index.tools
    .map((tool) => {
      const nearest = Math.max(0, ...tool.hints.map((hint) => likeness(said, hint, index)));
      const score = (1 - ABOUT) * nearest + ABOUT * likeness(said, tool.about, index);
      // Who says a hint word by word means its tool, whatever else is written about others.
      return { tool, score: nearest >= WORD_BY_WORD ? REPEATED : score * fit(tool, kinds, text) };
    })
    .toSorted((left, right) => right.score - left.score);
}

/** The word of ours that was mistyped; the word itself when none is near, or several are. */
function correct(word: string, { words }: ToolIndex): string {
  if (word.length < SHORTEST_SLIP || /\d/.test(word) || isWord(word) || words.has(word)) return word;
  return (
    closest(
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
    sum += own * Math.max(0, ...by.map((other) => alike(word, other)));
  }
  return all === 0 ? 0 : sum / all;
}

function alike(word: Word, other: Word): number {
  let best = 0;
  for (const [term, share] of word) best = Math.max(best, share * (other.get(term) ?? 0));
  return best;
}

/** Whether the tool can take the values that were said. */
function fit({ fields, installed }: IndexedTool, kinds: ReadonlySet<string>, text: string): number {
  if (!installed) return 1;
  const foreign = [...kinds].filter((kind) => {
    if (kind === '¤version') return !fields.some(takesVersion) && !fields.some(isNumber);
    if (kind === '¤size') return !fields.some((field) => isNumber(field) && hasUnit(field.name));
    if (kind === '¤url') return !fields.some(takesAddress);
    if (kind === '¤host') return !fields.some((field) => field.required && takesOneWord(field));
    if (['project', 'server', 'environment'].includes(kind))
      return !fields.some(({ entity }) => entity === kind || entity === 'name');
    return false;
  });
  const own = fields
    .filter(hasTellingForm)
    .some((field) => text.split(/[\s,;]+/).some((word) => problemOf(field, word) === null));
  return FOREIGN_VALUE ** foreign.length * (own ? OWN_FORM : 1);
}
