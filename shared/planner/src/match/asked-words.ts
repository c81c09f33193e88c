import { fits, TELLING } from './telling-values.ts';
import type { CapabilityIndex } from './capability-index.ts';
import { EFFECTS, NEAR, type Sense, VERBS } from '../text/concepts.ts';
import { weightOf } from './hint-sources.ts';
import { ORDINARY_WORDS } from '../text/ordinary-words.ts';
import { withValuePlaceholders } from '../text/quantities.ts';
import { forgiven, typosBetween } from '../text/spelling.ts';
import { stem } from '../text/stems.ts';
import { sensesOf, wordsOf } from '../text/tokens.ts';
import { SOFT_WORDS } from '../text/vocabulary.ts';

/** A word of a text, as it is compared. */
export interface Asked {
  readonly word: string;
  readonly senses: readonly Sense[];
  readonly weight: number;
  readonly kind: 'name' | 'value' | 'known' | 'ordinary' | 'unknown';
  /** What it was written like, without its ending, for comparing it with values. */
  readonly stem: string;
  /** Added by what the text implies: it proves nothing by itself. */
  readonly implied: boolean;
  /** Nothing is lost when no tool speaks of it. */
  readonly soft: boolean;
  readonly near: Float64Array;
}

/** Longer texts are read up to here: what somebody wants stands at the front. */
const READ_WORDS = 60;

/** Placeholders (a name, a number) tell less than words: half of the tools take one. */
export const PLACEHOLDER_WEIGHT = 0.7;

/** What a mood adds counts less than what was said. */
const IMPLIED_WEIGHT = 0.3;

/** How many words of texts keep their nearness to the hints: more than people use, less than hurts. */
const REMEMBERED_WORDS = 5_000;

/** What people ask for by its name alone: "port for shop". */
export const THINGS: ReadonlySet<string> = new Set(['port', 'server', 'project']);

const VALUES: ReadonlySet<string> = new Set([
  '¤number',
  '¤size',
  '¤version',
  '¤url',
  '¤quoted',
  '¤program',
  '¤called',
  '¤host',
]);

const NEARNESS: ReadonlyMap<string, number> = new Map(
  NEAR.flatMap(([left, right, share]) => [
    [`${left} ${right}`, share],
    [`${right} ${left}`, share],
  ]),
);

/** "New project pls" makes one; "new errors?" asks for them. */
const NEW_THING = /^(?:(?:hi|hey|ok|okay|so|and|please|pls)[, ]+)*(?:an? |another |one |brand )*new (?=\p{L})[^?]*$/iu;

/** What a text asks for, with typing mistakes corrected where the index knows the word that was meant. */
export function askedFor(text: string, index: CapabilityIndex, implied: readonly string[]): readonly Asked[] {
  const written = [...new Set(wordsOf(withValuePlaceholders(text), READ_WORDS))];
  const asked = written.map((word) => readWord(word, index));
  if (asked.every(({ kind }) => kind === 'ordinary' || kind === 'unknown')) return [];
  const add = (...concepts: readonly string[]): readonly Asked[] => [
    ...asked,
    ...concepts
      .filter((concept) => !asked.some(({ senses }) => senses[0]?.meaning === concept))
      .map((concept) => impliedWord(concept, index)),
  ];
  const told = asked.filter(({ kind, soft }) => kind !== 'ordinary' && kind !== 'unknown' && !soft);
  // A name alone means: tell me about it. "servers" alone means: show them. "port for shop" means: I want one.
  const shown = told.filter(({ senses }) => !['LIST', 'WANT'].includes(senses[0]?.meaning ?? ''));
  const acts = told.some(({ senses }) => senses.some(({ meaning, share }) => share >= 0.7 && EFFECTS.has(meaning)));
  const signature = acts ? null : signatureOf(asked, index);
  if (signature) return [...asked, ...signature];
  const plain =
    !asked.some(({ kind }) => kind === 'unknown') && !told.some(({ senses }) => senses[0]?.meaning === 'WANT');
  if (plain && shown.length > 0 && shown.every(({ kind }) => kind === 'name'))
    return add(...(implied.length > 0 ? implied : ['LIST', 'STATUS']));
  const speaks = asked.some(({ senses, soft }) =>
    senses.some(({ meaning, share }) => VERBS.has(meaning) && (!soft || share === 1)),
  );
  if (told.length === 0 || speaks) return add(...implied);
  if (NEW_THING.test(text)) return add('CREATE');
  if (told.length < 3 && told.some(({ word }) => /[^us]s$/.test(word))) return add('LIST');
  const [first] = told;
  if (told.some(({ kind }) => kind === 'name') && first?.senses.some(({ meaning }) => THINGS.has(meaning)))
    return add('WANT');
  return add(...implied);
}

/**
 * Values may be all that one tool needs, and one of them only few tools take: "shop 1.9.2 -> staging" says what to do without
 * saying it.
 */
function signatureOf(asked: readonly Asked[], index: CapabilityIndex): readonly Asked[] | null {
  const given = asked.filter(({ word }) => word.startsWith('¤')).map(({ word }) => word);
  if (!given.some((word) => TELLING.has(word))) return null;
  const fitting = index.tools.filter(({ installed, reads, fields }) => {
    const needed = fields.filter(({ required }) => required);
    return installed && !reads && needed.length > 1 && needed.every((field) => given.some((word) => fits(field, word)));
  });
  const [only] = fitting;
  if (!only || fitting.length > 1) return null;
  return [...only.topics].map((topic) => ({
    ...impliedWord(topic, index),
    implied: false,
    weight: 2 * (index.weight.get(topic) ?? 1),
  }));
}

function readWord(written: string, index: CapabilityIndex): Asked {
  const known = isKnown(written, index);
  const word = known || ORDINARY_WORDS.has(written) ? written : (correct(written, index) ?? written);
  const senses = sensesOf(word);
  return {
    word,
    senses,
    weight: word.startsWith('¤') ? PLACEHOLDER_WEIGHT : weightOf(senses, index.weight),
    kind: kindOf(word, known || word !== written),
    stem: stem(word),
    implied: false,
    soft: SOFT_WORDS.has(written),
    near: nearnessOf(word, senses, index),
  };
}

export function impliedWord(concept: string, index: CapabilityIndex): Asked {
  const senses = [{ meaning: concept, share: 1 }];
  const weight = (index.weight.get(concept) ?? 1) * IMPLIED_WEIGHT;
  return {
    word: concept,
    senses,
    weight,
    kind: 'known',
    stem: concept,
    implied: true,
    soft: true,
    near: nearnessOf(concept, senses, index),
  };
}

function kindOf(word: string, known: boolean): Asked['kind'] {
  if (word.startsWith('¤')) return VALUES.has(word) ? 'value' : 'name';
  if (known) return 'known';
  return ORDINARY_WORDS.has(word) ? 'ordinary' : 'unknown';
}

function isKnown(word: string, index: CapabilityIndex): boolean {
  return (
    /^[¤§]/.test(word) || index.values.has(stem(word)) || sensesOf(word).some(({ meaning }) => index.words.has(meaning))
  );
}

/** The word of ours that was mistyped; null when none is near, or two that mean different things are as near. */
function correct(word: string, index: CapabilityIndex): string | null {
  const limit = forgiven(word.length);
  if (limit === 0 || /[\d.]/.test(word)) return null;
  let best: { word: string; cost: number } | null = null;
  const [first, second] = word;
  for (let length = word.length - limit; length <= word.length + limit; length++) {
    for (const spelling of index.spellings.get(length) ?? []) {
      // The first letter is hardly ever wrong, but it may be swapped, missing or doubled.
      if (spelling[0] !== first && spelling[1] !== first && spelling[0] !== second) continue;
      if ((sensesOf(spelling)[0]?.share ?? 0) < 1 && !index.written.has(spelling)) continue;
      const typos = typosBetween(word, spelling, limit);
      const cost = typos + (spelling[0] === first ? 0 : 0.5);
      if (typos <= limit && (!best || cost < best.cost)) best = { word: spelling, cost };
    }
  }
  return best?.word ?? null;
}

/** How near a word of a text is to each word of the hints. Worked out once per word. */
function nearnessOf(word: string, senses: readonly Sense[], index: CapabilityIndex): Float64Array {
  const known = index.nearness.get(word);
  if (known) return known;
  if (index.nearness.size > REMEMBERED_WORDS) index.nearness.clear();
  const near = Float64Array.from(index.hintWords, (hint) => likeSenses(senses, hint.senses));
  index.nearness.set(word, near);
  return near;
}

function likeSenses(left: readonly Sense[], right: readonly Sense[]): number {
  let best = 0;
  for (const one of left) {
    for (const other of right) {
      const near = one.meaning === other.meaning ? 1 : (NEARNESS.get(`${one.meaning} ${other.meaning}`) ?? 0);
      best = Math.max(best, near * one.share * other.share);
    }
  }
  return best;
}
