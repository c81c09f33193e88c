import { EFFECTS, hasMeaning, wordsOf, wordSet } from './tokens.ts';

/**
 * How an English text mentions a change without ordering it. The value only chooses the sentence of the answer: plain-order.ts decides
 * whether the change is made, and needs no list of negations.
 * - `forbidden`: the text forbids the change.
 * - `conditional`: the text names a condition ("if it is healthy").
 * - `later`: the text names another time.
 * - `told`: the text reports what somebody said, did or thought.
 */
export type HoldReason = 'forbidden' | 'conditional' | 'later' | 'told';

/** Negations in English and other languages, because people mix languages. */
export const NEGATIONS = wordSet(
  "don't dont not never no nobody nothing shouldn't shouldnt mustn't won't wont wouldn't didn't without avoid " +
    'nicht nie niemals kein keine keinesfalls pas jamais non nunca jamás não niet nooit ikke aldrig inte не нет никогда',
);
/** First words with which a text forbids something. */
const FORBIDDING = wordSet("don't dont never no nobody avoid leave hands hold stay rather");
const CONDITIONS = wordSet('if unless once until when whenever provided assuming after before till case');
const TIMES = wordSet(
  'tomorrow tonight later monday tuesday wednesday thursday friday saturday sunday weekend daily nightly weekly midnight noon every',
);
const TELLING = wordSet(
  'said says say wrote told thinks thought thinking think asked reads typed already yesterday suppose imagine might could almost heard herself himself',
);
const ASKING = wordSet(
  "should shall would could can may is are was were does did has have what what's who who's whos why how when where which whose will am isn't aren't didn't doesn't do",
);
/** Beginnings of a question that is a polite order: "could you deploy …?" */
const POLITE =
  /^(?:(?:please|hey|hi|hello|ok|okay|so|and|pls)[, ]+)*(?:can|could|would|will) (?:you|u|we|i)(?: please)?\b/i;

/** True for a word that may hold an order back, such as a time or a condition; it is never a name or a version. */
export function isHoldingWord(word: string): boolean {
  return [NEGATIONS, CONDITIONS, TIMES, TELLING].some((words) => words.has(word));
}

/** Returns why a text that mentions a change does not order it; null when the text may be an order. */
export function findHoldReason(text: string): HoldReason | null {
  const words = wordsOf(text);
  const has = (kind: ReadonlySet<string>): boolean => words.some((word) => kind.has(word));
  if (forbids(words)) return 'forbidden';
  if (has(CONDITIONS)) return 'conditional';
  if (has(TELLING)) return 'told';
  // A time at the end of a text postpones an order; elsewhere it describes something: "a project for weekly mails to customers".
  return words.slice(-3).some((word) => TIMES.has(word)) ? 'later' : null;
}

/** True for a negation at the beginning or before the verb of a change: "we should not deploy", but not "we don't need port 1". */
function forbids(all: readonly string[]): boolean {
  const words = all.filter((word) => !LEADING.has(word));
  const [first = '', second = ''] = words;
  if (FORBIDDING.has(first) || (first === 'do' && second === 'not')) return true;
  return words.some(
    (word, at) => NEGATIONS.has(word) && words.slice(at + 1, at + 3).some((next) => hasMeaning(next, EFFECTS)),
  );
}

/** True when a text is a question, not an order. */
export function isQuestionText(text: string): boolean {
  if (POLITE.test(text)) return false;
  const [first = '', second = '', third = ''] = wordsOf(text).filter((word) => !LEADING.has(word));
  if (first === 'do' && !['we', 'i', 'you', 'they'].includes(second)) return text.endsWith('?');
  return (
    text.endsWith('?') ||
    ASKING.has(first) ||
    (['tell', 'know', 'curious', 'wonder'].includes(first) && ASKING.has(second === 'me' ? third : second))
  );
}

const LEADING = wordSet('so and but well hm hmm ok okay hey hi please pls just asking wait no sorry to bother you');

const OPENERS = /^(?:(?:just asking|so|and|hey|ok|please|wait)[:, ]+)*/i;
/** Beginnings of questions that only the documentation can answer: how, why, may I, what does it mean. */
const KNOWLEDGE = [
  /^how (?:do|can|to|long|does|should)\b/i,
  /^what (?:does|do|happens|if|would|is an?|are the rules)\b/i,
  /^what'?s (?:a|an) /i,
  /^what(?:'s| is) the (?:difference|purpose)\b/i,
  /^who (?:may|can|is allowed|has to)\b/i,
  /^where can i (?:read|find)\b/i,
  /^is (?:it|that) (?:safe|ok|allowed|possible)\b/i,
  /^(?:may i|can (?:i|an?|one|somebody)|do (?:i|we) (?:need|have))\b/i,
  /^(?:would it|which roles|why do i|explain)\b/i,
];

/** True for a question about how Signalbox works, false for one about the current state. */
export function asksForKnowledge(text: string): boolean {
  const question = text.replace(OPENERS, '');
  return KNOWLEDGE.some((beginning) => beginning.test(question)) && !POLITE.test(text);
}
