import { beginsOrder } from './order-words.ts';
import { isFiller, tokenize } from '../text/tokens.ts';

/** An order that shall only be carried out if something is so. Both in the person's words. */
export interface Condition {
  /** What has to be so: a statement, or the question that was asked first. */
  readonly condition: string;
  readonly order: string;
}

const LEAD = String.raw`^(?:(?:and|so|but|then|ok|okay|well|hm+|please)[, ]+)*`;
const WHEN_SO = String.raw`(?:only )?(?:if|once|as soon as|in case|unless|provided(?: that)?|assuming(?: that)?|on condition that)`;
/** "If nothing is wrong …", "should there be errors, …". */
const LEADING = new RegExp(
  `${LEAD}(?:${WHEN_SO}|only when|when(?! (?:was|is|are|did|were|will|do|does|can|should|has|have)\\b)|should(?= there be\\b)) (?!(?:so|not|yes|no|ok|okay|more|again|possible|needed|necessary|any|i may|you)\\b)(.+)$`,
  'iu',
);
/** "Is it up? If not …", "check whether it is ready, and if it is …". */
const LOOK_FIRST =
  /^(.+?)(?:\?|[,;.]|\s)\s*(?:(?:and|then|but)\s+)*(?:if|when|once)\s+(?:(?:so|not|yes|no|ok|okay)\b[, ]*(?:then )?(.+)|((?:it|that|this|they|everything|all)\b.+))$/iu;
/** "… unless there were errors today". */
const TRAILING = new RegExp(
  String.raw`^(.+?)(?:,|\s-)?\s+(?:but\s+)?(?:${WHEN_SO}|(?:only )?when)\s+(?!(?:so|not|more|again|possible|needed|necessary|any|i may|you|done|ready|finished)\b)(.+)$`,
  'iu',
);
/** "Tell me when it is done" waits for nothing: who is told is no part of what is done. */
const TELLS =
  /\b(?:tell|let|ping|notify|inform|remind|know|ask|say|sure|check|see|find out|look|wonder|happens?|matter|care|test|verify)\b(?: \p{L}+){0,3}$/iu;
const JOINT = /,\s*(?:then\s+)?|\s+then\s+|\s+-\s+/giu;

/** Reads an order with a condition; null when there is none. `verbs` are words that begin an order here beside those of everyday. */
export function readCondition(text: string, verbs: ReadonlySet<string>): Condition | null {
  const plain = text.replace(/[.!\s]+$/, '');
  const leading = LEADING.exec(plain)?.[1];
  if (leading !== undefined) return partOrder(leading, verbs);
  const first = LOOK_FIRST.exec(plain);
  if (first?.[1] !== undefined && !ordersChange(first[1], verbs)) {
    const rest = first[2] === undefined ? partOrder(first[3] ?? '', verbs)?.order : first[2];
    if (rest !== undefined && isOrder(rest, verbs)) return { condition: first[1].trim(), order: rest };
  }
  const trailing = TRAILING.exec(plain);
  const [, order = '', condition = ''] = trailing ?? [];
  if (order === '' || !isOrder(order, verbs) || TELLS.test(order) || tokenize(condition).length < 2) return null;
  return { condition, order };
}

/** "Nothing is wrong deploy 1.9": the order begins behind a comma, or with the first verb that stands where an order begins. */
function partOrder(text: string, verbs: ReadonlySet<string>): Condition | null {
  for (const match of text.matchAll(JOINT)) {
    const order = text.slice(match.index + match[0].length);
    if (isOrder(order, verbs)) return { condition: text.slice(0, match.index), order };
  }
  const tokens = tokenize(text);
  const at = tokens.findIndex(
    ({ lower }, place) =>
      place > 1 && startsOrder(lower, verbs) && !NO_ORDER_AFTER.test(tokens[place - 1]?.lower ?? ''),
  );
  const verb = tokens[at];
  return verb ? { condition: text.slice(0, verb.start).trim(), order: text.slice(verb.start) } : null;
}

/** Behind these words a verb is a noun, or says how something is. */
const NO_ORDER_AFTER =
  /^(?:is|are|was|were|be|been|the|a|an|its|his|her|our|my|your|no|not|to|it|they|we|i|you|any|last|of|for|can|could|will|would|doesn't|does|do|did|didn't|don't|and|or)$/;

function isOrder(text: string, verbs: ReadonlySet<string>): boolean {
  const first = tokenize(text).find(({ lower }) => !isFiller(lower))?.lower ?? '';
  return startsOrder(first, verbs);
}

/** Asking first to look at something is no order to change it. */
function ordersChange(text: string, verbs: ReadonlySet<string>): boolean {
  return (
    isOrder(text, verbs) &&
    !/^\W*(?:(?:please|can you|could you)\s+)*(?:check|see|look|tell|show|list|find|is|are|does)\b/i.test(text)
  );
}

function startsOrder(word: string, verbs: ReadonlySet<string>): boolean {
  return verbs.has(word) || beginsOrder(word);
}
