import type { IndexedTool } from '../match/capability-index.ts';
import { takesVersion } from '../slots/field-kinds.ts';
import { CONCEPTS, EFFECTS } from '../text/concepts.ts';
import { isLabelOf } from '../slots/labels.ts';
import { findMentions } from '../text/mentions.ts';
import { findQuantities } from '../text/quantities.ts';
import { cleanText, tokenize } from '../text/tokens.ts';
import { VALUE_ALIASES } from '../text/vocabulary.ts';
import { isBareWord } from '../text/versions.ts';
import type { Surroundings } from './understanding.ts';

/*
 * A change is carried out at once only when every word of what was said is explained: by the words in which its tool is asked for, by a value
 * of the call, or by the few words below. Whatever else is there (another language, a negation, a condition, a doubt, a name that the call
 * leaves out) may change what is meant, so the person is shown the exact change and asked.
 */

/** What holds an order together and changes nothing about it. No negation, no question word, no time, no doubt is one of them. */
const GRAMMAR: ReadonlySet<string> = new Set(
  (
    'a an the this that it its them one my our me us i we you is be as and then also now again ' +
    'of for on in at to from by with into onto call called named branch tag version commit'
  ).split(' '),
);
const COURTESY: ReadonlySet<string> = new Set(
  (
    "please pls plz hi hey hello ok okay thanks thank kindly yes yep yeah sure alright so let's lets i'd i'll we'd like want need " +
    'can could would will just go ahead do good morning afternoon evening there bot'
  ).split(' '),
);

/** How the answer to a question takes one of its choices. */
const CHOOSING: ReadonlySet<string> = new Set(
  'the first second third fourth fifth last former latter other use take pick choose number option 1 2 3 4 5 6 7 8'.split(
    ' ',
  ),
);

/** Questions that are orders: "could you deploy …?" */
const POLITE = /^(?:(?:please|hey|hi|hello|ok|okay|so|and)[, ]+)*(?:can|could|would|will) (?:you|we|i)\b/i;

/**
 * The words of a text that nothing explains when it is taken for this call; a question that is no polite order counts as one. `place`: what the
 * text was in the conversation. An answer may choose, and an earlier text may name a value that the answer replaced.
 */
export function unexplained(
  said: string,
  { tool, args }: { readonly tool: IndexedTool; readonly args: Readonly<Record<string, unknown>> },
  { facts, index }: Pick<Surroundings, 'facts' | 'index'>,
  place: 'only' | 'earlier' | 'answer',
): readonly string[] {
  const text = cleanText(said);
  const values = valuesIn(args).map((value) => value.toLowerCase());
  const whole = Object.entries(args).flatMap(([name, value]) => {
    const found = valuesIn(value).map((one) => one.toLowerCase());
    return place === 'answer' ? found : found.filter((one) => isWhole(one, name, text.toLowerCase()));
  });
  const valueWords = new Set(
    whole.flatMap((value) =>
      [value, value.replaceAll(/[-_./]/g, ' ')].flatMap((one) => tokenize(one).map(({ lower }) => lower)),
    ),
  );
  const used = findMentions(text, facts, index.words, index.closed).filter(({ name }) =>
    values.includes(name.toLowerCase()),
  );
  const amounts = findQuantities(text).filter(({ value }) => valuesIn(args).some((one) => Number(one) % value === 0));
  const explained = [...used, ...amounts];
  // "Deploy shop nicht to staging": what was taken for a version may be any word, unless it is known or called one.
  const doubtful = tool.fields
    .filter(takesVersion)
    .map(({ name }) => String(args[name] ?? '').toLowerCase())
    .filter((version) => isBareWord(version) && place === 'only');
  const isNamed = (start: number): boolean =>
    /\b(?:branch|tag|version|release|revision)\s+["']?$/i.test(text.slice(0, start));
  const isExplained = ({
    lower,
    start,
    end,
  }: {
    readonly lower: string;
    readonly start: number;
    readonly end: number;
  }) =>
    GRAMMAR.has(lower) ||
    COURTESY.has(lower) ||
    (valueWords.has(lower) && (!doubtful.includes(lower) || isNamed(start))) ||
    isSpoken(tool, lower) ||
    text[start - 1] === '@' || // the bot, spoken to in a group
    isVerbOf(tool, lower) ||
    (place === 'answer' && CHOOSING.has(lower)) ||
    (place === 'earlier' && /^\d+$/.test(lower)) ||
    explained.some((span) => span.start <= start && end <= span.end) ||
    (VALUE_ALIASES.get(lower) ?? []).some((value) => values.includes(value)) ||
    tool.fields.some((field) => Object.hasOwn(args, field.name) && isLabelOf(lower, field));
  const left = tokenize(text).filter((token) => !isExplained(token));
  const asks = text.includes('?') && !POLITE.test(text) ? ['?'] : [];
  return [...left.map(({ lower }) => lower), ...asks];
}

/**
 * Whether a value is plainly one: a single word, or what stands in quotes or behind a colon. Of other words nobody can tell where a value ends
 * and a second thought begins: "set LEVEL to debug, or rather don't". What something new is for is one clause, and a command goes on to the end.
 */
function isWhole(value: string, field: string, text: string): boolean {
  const before = text.slice(0, Math.max(0, text.indexOf(value)));
  if (!/\s/.test(value) || /(?:["'`“„«]|:\s*)$/.test(before) || field === 'command') return true;
  return field === 'description' && !/[,;!?—–、。，！？]|\s-\s/.test(value);
}

/** A word of the tool's hints, or one more or less of the same: conversation, conversations. */
function isSpoken({ spoken }: IndexedTool, word: string): boolean {
  return [word, word.replace(/s$/, ''), `${word}s`].some((form) => spoken.has(form));
}

/** Whether more of what was said speaks of the tool than of something else; holding a sentence together counts for neither. */
export function speaksOf(said: string, tool: IndexedTool): boolean {
  const content = tokenize(cleanText(said)).filter(({ lower }) => !GRAMMAR.has(lower) && !COURTESY.has(lower));
  return content.filter(({ lower }) => isSpoken(tool, lower) || isVerbOf(tool, lower)).length * 2 >= content.length;
}

/** Another word for what the tool does, which means nothing else: "claim" for "allocate". What was done already has another form. */
function isVerbOf({ hints }: IndexedTool, word: string): boolean {
  const [sense] = CONCEPTS.get(word) ?? [];
  if (sense?.share !== 1 || !EFFECTS.has(sense.meaning) || /(?:ed|ing|ment|s)$/.test(word)) return false;
  return hints.some((hint) => hint.some(({ senses }) => senses[0]?.meaning === sense.meaning));
}

function valuesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesIn);
  return value === null || value === undefined || value === '' ? [] : [String(value)];
}
