import { NEGATIONS, asks } from '../text/holds.ts';
import type { Surroundings } from './understanding.ts';
import { findMentions, isSameChoice } from '../names/mentions.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { isLabelOf } from '../slots/field-kinds.ts';
import { type Token, EFFECTS, THESAURUS, cleanText, tokenize, wordsOf, wordSet } from '../text/tokens.ts';
import { findQuantities, findQuoted } from '../text/values.ts';

/*
 * A change is carried out at once only when every word of what was said is explained: by the words in which its tool is asked for, by a value
 * of the call, or by the few words below. Whatever else is there (another language, a negation, a condition, a doubt, a name that the call
 * leaves out) may change what is meant, so the person is shown the exact change and asked.
 */

/** What holds an order together and changes nothing about it. No negation, no question word, no time, no doubt is one of them. */
const GRAMMAR = wordSet(
  "a an the this that it its it's them one my our me us i we you is be as and then also now again too well same " +
    'of for on in at to from by with into onto call called named branch tag version commit name project server',
);
const COURTESY = wordSet(
  "please pls plz hi hey hello ok okay thanks thank thx kindly yes yep yeah sure alright so let's lets i'd i'll we'd like want need " +
    'can could would will just go ahead do good morning afternoon evening there bot',
);
/** How the answer to a question takes one of its choices, and how a correction takes another value. */
const CHOOSING = wordSet(
  'the first second third fourth fifth last former latter other use take pick choose number option make rather 1 2 3 4 5 6 7 8',
);

/** What a text was in the conversation. An answer may choose, and an earlier text may name a value that the answer replaced. */
export type Place = 'only' | 'earlier' | 'answer';

type Known = Pick<Surroundings, 'facts' | 'index'>;

interface Call {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The words of a text that nothing explains when it is taken for this call; a question that is no polite order counts as one. */
export function findUnexplained(said: string, call: Call, around: Known, place: Place): readonly string[] {
  const text = cleanText(said);
  const isExplained = explainer(text, call, around, place);
  const left = tokenize(text).filter((token) => !isExplained(token));
  const values = textsIn(call.args).map((value) => value.toLowerCase());
  // A quotation that became no value of the call may repeat somebody else's words, so nothing explains it.
  const quoted = findQuoted(text).filter(({ value }) => !values.some((one) => one.includes(value.toLowerCase())));
  return [
    ...left.map(({ lower }) => lower),
    ...quoted.map(({ value }) => value),
    ...(place !== 'answer' && asks(text) ? ['?'] : []),
  ];
}

function explainer(text: string, { tool, args }: Call, around: Known, place: Place) {
  const values = textsIn(args).map((value) => value.toLowerCase());
  const isTaken = (value: string, name: string): boolean =>
    place === 'answer' || isWhole(value, name, text.toLowerCase());
  const whole = Object.entries(args).flatMap(([name, value]) =>
    textsIn(value).filter((one) => isTaken(one.toLowerCase(), name)),
  );
  const valueWords = new Set(whole.flatMap((value) => wordsOf(`${value} ${value.replaceAll(/[-_./]/g, ' ')}`)));
  const amounts = findQuantities(text).filter(({ value }) => values.some((one) => Number(one) % value === 0));
  const choices = tool.fields.flatMap((field) => field.choices).filter((one) => values.includes(one.toLowerCase()));
  const names = findMentions(text, around.facts, around.index).filter(({ name }) =>
    values.includes(name.toLowerCase()),
  );
  return ({ lower, start, end }: Token): boolean =>
    GRAMMAR.has(lower) ||
    COURTESY.has(lower) ||
    valueWords.has(lower) ||
    isSpoken(tool, lower) ||
    isVerbOf(tool, lower) ||
    text[start - 1] === '@' || // the bot, spoken to in a group
    (place === 'answer' && CHOOSING.has(lower)) ||
    (place === 'earlier' && /^\d+$/.test(lower)) ||
    [...names, ...amounts].some((span) => span.start <= start && end <= span.end) ||
    choices.some((value) => isSameChoice(lower, value)) ||
    tool.fields.some((field) => Object.hasOwn(args, field.name) && isLabelOf(lower, field));
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

/** A word of the tool's hints, or one more or less of the same: conversation, conversations. A hint with a negation explains no other one. */
function isSpoken({ spoken }: IndexedTool, word: string): boolean {
  if (NEGATIONS.has(word)) return false;
  return [word, word.replace(/s$/, ''), `${word}s`].some((form) => spoken.has(form));
}

/** Another word for what the tool does, which means nothing else: "claim" for "allocate". What was done already has another form. */
function isVerbOf({ hints }: IndexedTool, word: string): boolean {
  const [sense] = THESAURUS.get(word) ?? [];
  if (sense?.share !== 1 || !EFFECTS.has(sense.meaning) || /(?:ed|ing|ment|s)$/.test(word)) return false;
  return hints.flat().some((other) => other.get(sense.meaning) === 1);
}

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return value === null || value === undefined || value === '' ? [] : [String(value)];
}
