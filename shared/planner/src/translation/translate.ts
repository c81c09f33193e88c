import type { ToolVocabulary } from '../names/mentions.ts';
import { isCommonWord } from '../names/mentions.ts';
import type { KnownNames } from '../names/mentions.ts';
import { EFFECTS, sensesOf, tokenize, wordSet, wordsOf } from '../text/tokens.ts';
import { findAddresses, findPaths, findQuoted } from '../text/values.ts';
import { type Lexicon, type LexiconForm, LEXICONS, foldWord, isFormWord } from './lexicon.ts';

/*
 * The planner reads English. A text of another language is rewritten word by word into the planner's English before it is read; names,
 * values, quotations and unknown words stay. The rewriting decides nothing: plain-order.ts still refuses a change with an unexplained word.
 */

/** A part of a translation, with the part of the original from which it came. */
interface Piece {
  readonly english: string;
  readonly from: number;
  readonly to: number;
}

export interface Translation {
  readonly original: string;
  readonly english: string;
  /** Parts of the English text with their places in both texts. */
  readonly pieces: readonly (Piece & { readonly start: number })[];
}

interface Known {
  readonly known: KnownNames;
  readonly vocabulary: ToolVocabulary;
  /** Language of the person, which decides when a text could be of two languages. */
  readonly language: string;
}

/** Translates a cleaned text into the English of the planner. A text that is English, or of an unknown language, stays. */
export function readInEnglish(text: string, around: Known): Translation {
  const original = spaceOut(text);
  const readings = codesFor(original).flatMap((code) => {
    const lexicon = LEXICONS.get(code);
    return lexicon ? [{ code, lexicon, units: unitsOf(original, lexicon, around.known) }] : [];
  });
  for (const { units, lexicon } of readings) {
    const order = readFrame(original, units, lexicon, around.known);
    if (order !== null) return untranslated(order);
  }
  const names = Object.values(around.known).flat();
  const best = findReading(original, readings, around);
  return best ? join(original, translateUnits(original, best.units, best.lexicon, names)) : untranslated(text);
}

/** Returns the original of an English value that was translated; any other value stays. */
export function restoreOriginal(value: string, translations: readonly Translation[]): string {
  for (const { original, english, pieces } of translations) {
    const start = english.indexOf(value);
    if (start === -1 || original.includes(value)) continue;
    const inside = pieces.filter((one) => one.start < start + value.length && one.start + one.english.length > start);
    const [first, last] = [inside[0], inside.at(-1)];
    if (first && last) return original.slice(first.from, last.to);
  }
  return value;
}

const untranslated = (text: string): Translation => ({ original: text, english: text, pieces: [] });

/** Separates Chinese characters from letters and digits, which are often written without blanks between them. */
function spaceOut(text: string): string {
  return text
    .replace(/(\p{Script=Han})(?=[\p{Script=Latin}\p{N}/])/gu, '$1 ')
    .replace(/([\p{Script=Latin}\p{N}])(?=\p{Script=Han})/gu, '$1 ');
}

/** A word of the original; a Chinese character is a word of its own. `isFixed`: a name or value, which is never translated. */
interface Unit {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly isFixed: boolean;
}

function unitsOf(text: string, lexicon: Lexicon, known: KnownNames): readonly Unit[] {
  const names = new Set(Object.values(known).flatMap((all) => all.map((name) => name.toLowerCase())));
  const kept = [...findAddresses(text), ...findQuoted(text), ...findPaths(text)];
  const tokens = tokenize(text);
  return tokens.flatMap(({ lower, start: first, end }, place): readonly Unit[] => {
    const start = kept.some((span) => span.start === first - 1) ? first - 1 : first;
    const isFixed =
      (names.has(lower) && mayBeName(lower, tokens[place - 1]?.lower, lexicon)) ||
      (/[\d_/.]/.test(lower) && !lexicon.forms.has(foldWord(lower))) ||
      kept.some((span) => start < span.end && end > span.start);
    if (!/\p{Script=Han}/u.test(lower)) return [{ word: foldWord(lower), start, end, isFixed }];
    return [...lower].map((word, at) => ({ word, start: start + at, end: start + at + 1, isFixed }));
  });
}

/** False for a name that is also a word of the language, as “todo” in Spanish, unless the word before announces a name. */
function mayBeName(word: string, before: string | undefined, { forms }: Lexicon): boolean {
  const means = (one: string, english?: string): boolean =>
    (forms.get(foldWord(one)) ?? []).some(
      (form) => form.head.length === 1 && form.tail.length === 0 && (english === undefined || form.english === english),
    );
  return !means(word) || (before !== undefined && ['project', 'service'].some((noun) => means(before, noun)));
}

/** Lists the languages whose letters a text has. */
function codesFor(text: string): readonly string[] {
  if (/\p{Script=Han}/u.test(text)) return ['zh'];
  return /\p{Script=Cyrillic}/u.test(text) ? ['ru'] : ['de', 'es'];
}

interface Reading {
  readonly code: string;
  readonly lexicon: Lexicon;
  readonly units: readonly Unit[];
}

/** Chooses the language of which the text has more words than of English; null when it has none. */
function findReading(text: string, readings: readonly Reading[], { vocabulary, language }: Known): Reading | null {
  const scored = readings.map((reading) => {
    const free = reading.units.filter(({ isFixed }) => !isFixed);
    const own = free.length - translateUnits(text, free, reading.lexicon, []).filter(({ isOwn }) => !isOwn).length;
    const english = free.filter(({ word }) => isCommonWord(word) || vocabulary.words.has(word)).length;
    return { reading, own, lead: own - english + (reading.code === language ? 0.5 : 0) };
  });
  const [best] = scored.toSorted((one, other) => other.lead - one.lead);
  return best && best.own > 0 && (best.lead > 0 || readings.length === 1) ? best.reading : null;
}

/** Reads a whole order with literal parts as English; null when the text is none. */
function readFrame(text: string, units: readonly Unit[], lexicon: Lexicon, known: KnownNames): string | null {
  const names = Object.values(known).flat();
  const courtesy = translateUnits(text, units, lexicon, []).filter(
    ({ english, isOwn }) => isOwn && english === COURTESY,
  );
  const plain = courtesy
    .toReversed()
    .reduce(
      (left, { from, to }) => `${left.slice(0, from).replace(/,\s*$/, '')} ${left.slice(to).replace(/^\s*,/, '')}`,
      text,
    )
    .replace(/^[\s,:¿¡]+/, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,:])/g, '');
  for (const written of new Set([text, plain]))
    for (const { pattern, english } of lexicon.frames) {
      const groups = pattern.exec(written)?.groups;
      // “Run shop with three instances” runs no command.
      if (!groups || names.includes(groups['rest']?.split(' ')[0] ?? '')) continue;
      return english
        .replace(/%(\d)/g, (_, place: string) => (groups[`v${place}`] ?? '').replace(/[,.!?]+$/, ''))
        .replace('%', () => groups['rest'] ?? '');
    }
  return null;
}

/** Polite words are left out, because they stand anywhere. */
const COURTESY = 'please';

/** A translated piece. `isOwn`: the lexicon knows its words. */
interface Translated extends Piece {
  readonly isOwn: boolean;
}

function translateUnits(
  text: string,
  units: readonly Unit[],
  lexicon: Lexicon,
  names: readonly string[],
): readonly Translated[] {
  const done: Translated[] = [];
  const dropped = new Set<number>();
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (!unit || dropped.has(at)) continue;
    const found = unit.isFixed ? null : findForm(units, at, dropped, lexicon);
    if (!found) {
      const written = text.slice(unit.start, unit.end);
      done.push({ english: toLatinName(unit.word, names) ?? written, from: unit.start, to: unit.end, isOwn: false });
      continue;
    }
    const { form, tailAt } = found;
    form.tail.forEach((_, more) => dropped.add(tailAt + more));
    const last = units[at + form.head.length - 1] ?? unit;
    done.push({ english: form.english, from: unit.start, to: last.end, isOwn: true });
    at += form.head.length - 1;
  }
  return done;
}

/** The Latin letters of Cyrillic ones, as people write names by their sound. */
const LATIN: ReadonlyMap<string, string> = new Map(
  'аa бb вv гg дd еe зz иi кk лl мm нn оo пp рr сs тt уu фf шsh чch жzh хh цts ыy эe'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
);
/** Maximum number of letters of a case ending. */
const MAX_ENDING = 3;
const MIN_NAME = 4;

/** Finds the known name that a Cyrillic word spells by its sound, with a case ending: “шопом” is shop. Null for any other word. */
function toLatinName(word: string, names: readonly string[]): string | null {
  if (!/^\p{Script=Cyrillic}+$/u.test(word)) return null;
  const latin = word.replaceAll(/./gu, (letter) => LATIN.get(letter) ?? letter);
  return (
    names.find(
      (name) => name.length >= MIN_NAME && latin.startsWith(name) && latin.length - name.length <= MAX_ENDING,
    ) ?? null
  );
}

/** Finds the longest form that begins at a word. Its second part may stand anywhere behind it. */
function findForm(
  units: readonly Unit[],
  at: number,
  dropped: ReadonlySet<number>,
  { forms, stems }: Lexicon,
): { readonly form: LexiconForm; readonly tailAt: number } | null {
  const stands = (words: readonly string[], from: number): boolean =>
    words.every((word, more) => {
      const unit = units[from + more];
      return unit !== undefined && !unit.isFixed && isFormWord(unit.word, word) && !dropped.has(from + more);
    });
  for (const form of [...(forms.get(units[at]?.word ?? '') ?? []), ...stems]) {
    const { head, tail } = form;
    if (!stands(head, at)) continue;
    if (tail.length === 0) return { form, tailAt: -1 };
    for (let tailAt = units.length - tail.length; tailAt > at + head.length - 1; tailAt--)
      if (stands(tail, tailAt)) return { form, tailAt };
  }
  return null;
}

/** Words that make a text more than an order, so that its verb stays where it is. */
const NO_ORDER = wordSet('not if without what which who how why when where is are has');

/** Puts the verb of an order first, where it stands in English: "shop auf staging ausrollen", “把 shop 下线”. */
function putVerbFirst(done: readonly Translated[]): readonly Translated[] {
  const isVerb = ({ english, isOwn }: Translated): boolean =>
    isOwn &&
    english !== 'deployments' &&
    sensesOf(wordsOf(english)[0] ?? '').some(({ meaning, share }) => share === 1 && EFFECTS.has(meaning));
  const place = done.findIndex(isVerb);
  const verb = done[place];
  if (!verb || done.some(({ english, isOwn }) => isOwn && wordsOf(english).some((word) => NO_ORDER.has(word))))
    return done;
  const start = done.findIndex(({ english, isOwn }) => !isOwn || !LEADING.has(english));
  if (place <= start) return done;
  return [...done.slice(0, start), verb, ...done.slice(start, place), ...done.slice(place + 1)];
}

const LEADING: ReadonlySet<string> = new Set(['can you', 'I want to', 'please', '']);

/** Joins the pieces; the punctuation between them stays where no word was moved. */
function join(original: string, translated: readonly Translated[]): Translation {
  const done = putVerbFirst(translated);
  let english = '';
  const pieces: (Piece & { readonly start: number })[] = [];
  let end = 0;
  let wasLeft = true;
  for (const { english: word, from, to, isOwn } of done) {
    const isLeft = isOwn && (word === '' || word === COURTESY);
    const gap = original.slice(end, from).replace(/[¿¡]/g, '');
    const between = from < end || /[\p{L}\p{N}]/u.test(gap) ? ' ' : gap;
    english = `${english}${between.trim() === ',' && (isLeft || wasLeft) ? ' ' : between || ' '}`;
    end = Math.max(end, to);
    wasLeft = isLeft;
    if (isLeft) continue;
    english = english.replace(/\s+$/, ' ').replace(/^[\s,]+/, '');
    pieces.push({ english: word, from, to, start: english.length });
    english += word;
  }
  const rest = original.slice(end).replace(/[\p{L}\p{N}]+/gu, '');
  return {
    original,
    english: `${english}${rest}`
      .replace(/\s+([?!.,])/g, '$1')
      .replace(/\?+$/, '?')
      .trimEnd(),
    pieces,
  };
}
