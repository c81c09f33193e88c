import { NEGATIONS, isQuestionText } from '../text/holds.ts';
import type { RequestContext } from './understanding.ts';
import { findMentions, isSameChoice } from '../names/mentions.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { isLabelOf } from '../slots/field-kinds.ts';
import { type Token, EFFECTS, THESAURUS, cleanText, tokenize, wordsOf, wordSet } from '../text/tokens.ts';
import { findQuantities, findQuoted } from '../text/values.ts';

/*
 * The planner makes a change at once only when every word of the person is explained: by a hint of the tool, by a value of the call, or by
 * the function words below. Any other word (of another language, a negation, a condition, a doubt, a name that the call omits) may change
 * the meaning, so the planner shows the exact change and asks the person.
 */

/** Function words that never change an order: no negations, question words, times or doubts. */
const GRAMMAR = wordSet(
  "a an the this that it its it's them one my our me us i we you is be as and then also now again too well same " +
    'of for on in at to from by with into onto call called named branch tag version commit name project server',
);
const COURTESY = wordSet(
  "please pls plz hi hey hello ok okay thanks thank thx kindly yes yep yeah sure alright so let's lets i'd i'll we'd like want need " +
    'can could would will just go ahead do good morning afternoon evening there bot',
);
/** Words with which a person picks a choice or corrects a value. */
const CHOOSING = wordSet(
  'the first second third fourth fifth last former latter other use take pick choose number option make rather 1 2 3 4 5 6 7 8',
);

/** Role of a text in the conversation. An answer may pick a choice; an earlier text may name a value that was replaced later. */
export type TextRole = 'only' | 'earlier' | 'answer';

type Known = Pick<RequestContext, 'facts' | 'index'>;

interface Call {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Lists the words of a text that the call does not explain. Adds `?` for a question that is not a polite order. */
export function findUnexplained(said: string, call: Call, around: Known, role: TextRole): readonly string[] {
  const text = cleanText(said);
  const isExplained = explainer(text, call, around, role);
  const left = tokenize(text).filter((token) => !isExplained(token));
  const values = textsIn(call.args).map((value) => value.toLowerCase());
  // A quotation that is not a value of the call may repeat somebody else's words, so it stays unexplained.
  const quoted = findQuoted(text).filter(({ value }) => !values.some((one) => one.includes(value.toLowerCase())));
  return [
    ...left.map(({ lower }) => lower),
    ...quoted.map(({ value }) => value),
    ...(role !== 'answer' && isQuestionText(text) ? ['?'] : []),
  ];
}

function explainer(text: string, { tool, args }: Call, around: Known, role: TextRole) {
  const values = textsIn(args).map((value) => value.toLowerCase());
  const isTaken = (value: string, name: string): boolean =>
    role === 'answer' || isWhole(value, name, text.toLowerCase());
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
    text[start - 1] === '@' || // The text mentions the bot in a group
    (role === 'answer' && CHOOSING.has(lower)) ||
    (role === 'earlier' && /^\d+$/.test(lower)) ||
    [...names, ...amounts].some((span) => span.start <= start && end <= span.end) ||
    choices.some((value) => isSameChoice(lower, value)) ||
    tool.fields.some((field) => Object.hasOwn(args, field.name) && isLabelOf(lower, field));
}

/** True when the end of a value is certain: a single word, or text in quotes or after a colon. */
function isWhole(value: string, field: string, text: string): boolean {
  const before = text.slice(0, Math.max(0, text.indexOf(value)));
  if (!/\s/.test(value) || /(?:["'`“„«]|:\s*)$/.test(before) || /(?:command|header)$/i.test(field)) return true;
  return field === 'description' && !/[,;!?—–、。，！？]|\s-\s/.test(value);
}

/** True for a word in the tool's hints, in singular or plural, but never for a negation. */
function isSpoken({ spoken }: IndexedTool, word: string): boolean {
  if (NEGATIONS.has(word)) return false;
  return [word, word.replace(/s$/, ''), `${word}s`].some((form) => spoken.has(form));
}

/** True for an unambiguous synonym of the tool's verb, such as "claim" for "allocate". */
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
