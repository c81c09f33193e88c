import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { findExactChoice, pickChoice } from './choices.ts';
import { type OpenQuestion, type PlannerStep, toQuestionStep, toAnswerStep } from '../requests/marks.ts';
import { askForCorrection } from '../requests/questions.ts';
import { readOfferReply } from './shortlist.ts';
import { toName } from '../slots/new-names.ts';
import { findClosest } from '../names/spelling.ts';
import { listKnownNames } from '../names/mentions.ts';
import { isQuestionText } from '../text/holds.ts';
import { createToolStep } from '../requests/calls.ts';
import { createRequestStep } from '../requests/requests.ts';
import { isRefusal } from '../requests/small-talk.ts';
import { readTalk } from '../requests/talk.ts';
import { MIN_MATCH_SCORE, type RequestContext, rankRequestTools } from '../requests/understanding.ts';
import { cleanFreeText } from '../slots/descriptions.ts';
import { getValueKind } from '../slots/field-kinds.ts';
import { fillSlots } from '../slots/fill.ts';
import { isNumber } from '../slots/numbers.ts';
import { type Field, findProblem } from '../slots/schema.ts';
import { EFFECTS, isFiller, hasMeaning, tokenize, wordsOf, wordSet } from '../text/tokens.ts';
import { findQuantities, findQuoted, toUnitOf } from '../text/values.ts';

/** Maximum number of words in a name; a longer text is a sentence. */
const MAX_NAME_WORDS = 4;
/** When a text could be a request or an answer, its minimum similarity to a tool to count as a request. */
const CERTAIN = 0.7;

/** Next step after a reply to a question. `answered` is false when the reply did not answer the question. */
export interface ReplyOutcome {
  readonly answered: boolean;
  /** True when the person canceled the question; requests that depend on the question are dropped too. */
  readonly dropped?: boolean;
  readonly step: PlannerStep;
}

/**
 * Reads a reply to an open question: a button text, a number, a known name or a valid value. A refusal drops the question. Null for small
 * talk.
 */
export function readReply(ask: OpenQuestion, text: string, around: RequestContext): ReplyOutcome | null {
  if (ask.readings) {
    const taken = readOfferReply(ask, text, around);
    if (taken === 'none') return dropped();
    if (taken) return { answered: true, step: taken };
    // Buttons that were only offered need no answer, so any other text is a new request.
    return readTalk(text, around) === null
      ? { answered: false, dropped: true, step: createRequestStep(text, around) }
      : null;
  }
  const tool = around.index.tools.find(({ name }) => name === ask.tool);
  const field = tool?.fields.find(({ name }) => name === ask.slot);
  if (!tool || !field) return null;
  if (ask.choices.length > 0 && isQuestionText(text) && wordsOf(text).every((word) => ABOUT_CHOICES.has(word)))
    return withChoices(ask);
  const isFree = getValueKind(field) === 'text' || getValueKind(field) === 'new-name';
  const [best] = rankRequestTools(text, { ...around, last: null });
  const isNear = best !== undefined && best.score >= MIN_MATCH_SCORE;
  // "What runs on staging?" names a choice but is a question of its own. No free text ends with a question mark.
  const asks = isQuestionText(text) && (!isFree || text.endsWith('?'));
  const isLook = isNear && best.tool.isHarmless && best.tool !== tool && asks;
  if (isLook && findExactChoice(text, ask.choices) === null) return asRequest(ask, text, around);
  const picked = pickChoice(text, ask.choices);
  if (picked !== null && findProblem(field, picked) === null) {
    const rest = wordsOf(text).length > 2 ? text : '';
    return { answered: true, step: createToolStep(tool, rest, { ...ask.args, [field.name]: picked }, around) };
  }
  if (isRefusal(text)) return dropped();
  if (isNear && best.tool !== tool && isRequest(text, field, best.score)) return asRequest(ask, text, around);
  if (readTalk(text, around) !== null && !isFree) return null;
  const value = readValue(field, text, around);
  if (value === null) return isNear ? asRequest(ask, text, around) : again(ask);
  const wanted = findProblem(field, value);
  const args = { ...ask.args, [field.name]: value };
  if (wanted === null) return { answered: true, step: createToolStep(tool, isFree ? '' : text, args, around) };
  if (ask.tries > 1) return { answered: false, step: toAnswerStep(say('planner.gave-up'), 'failed') };
  const call = { tool, args: ask.args, facts: around.facts, text: ask.text, tries: ask.tries + 1 };
  return { answered: true, step: askForCorrection({ kind: 'invalid', field, written: text, wanted }, call) };
}

/** True when a question asks for a free text or a new name. */
export function takesAnyWords({ tool, slot }: OpenQuestion, { index }: RequestContext): boolean {
  const field = index.tools.find(({ name }) => name === tool)?.fields.find(({ name }) => name === slot);
  const kind = field && getValueKind(field);
  return kind === 'text' || kind === 'new-name';
}

/** Reads the value of a field from a reply, even when the schema refuses the value; null without a value. */
function readValue(field: Field, text: string, around: RequestContext): unknown {
  if (getValueKind(field) === 'new-name') return newName(field, text);
  if (getValueKind(field) === 'text')
    return cleanFreeText(
      findQuoted(text)[0]?.value ?? text.replace(/^(?:it(?:'s| is)|that's)?\s*(?:for|about)\s+/i, ''),
    );
  if (isNumber(field)) {
    const values = findQuantities(text).map((quantity) => toUnitOf(field.name, quantity));
    return values.findLast((value) => value !== null) ?? null; // After a correction, as in "one gig. sorry, two", the last value counts.
  }
  if (field.type === 'boolean')
    return /^(?:yes|y|yep|sure|true|on)\b/i.test(text) || (/^(?:no?|false|off)\b/i.test(text) ? false : null);
  const { facts, index } = around;
  const about = { ...facts, currentProject: null };
  const { args } = fillSlots({ text, fields: [field], facts: about, language: index, given: {} });
  if (Object.hasOwn(args, field.name)) return args[field.name];
  const [only, ...more] = tokenize(text).filter(({ lower }) => !isFiller(lower));
  if (!only || more.length > 0) return null;
  // A reply often holds a single name, so even an everyday word may be a mistyped name.
  const known = field.choices.length > 0 ? field.choices : listKnownNames(facts, field.entity);
  return known.length > 0 ? findClosest(only.lower, known) : text.slice(only.start, only.end);
}

const LEAD =
  /^(?:(?:let'?s|please|just|maybe|i'?d|we|should|like to|how about|call(?:ed)?|named?|it|be|is|the|project|its|it's|hm+|ok|okay|well|say|rather|use)[ ,]+)+/i;

function newName(field: Field, text: string): string | null {
  const [quoted] = findQuoted(text);
  if (quoted) return toName(field, quoted.value);
  const called = text.slice(Math.max(0, text.search(/\b(?:called|named|call it|name it)\b/i)));
  const bare = (/^[^,:;]+/.exec(called.replace(LEAD, ''))?.[0] ?? '')
    .replace(/\s+(?:for|about|please|that|which|instead)\b.*$/i, '')
    .replace(/[.!?\s]+$/, '');
  return bare !== '' && bare.split(' ').length <= MAX_NAME_WORDS ? toName(field, bare) : null;
}

/** True when a reply is a new request: a question or an order. For a free-text field, the reply must also resemble a tool. */
function isRequest(text: string, field: Field, score: number): boolean {
  if (isQuestionText(text) && getValueKind(field) !== 'text') return true;
  const [first = '', ...more] = wordsOf(text).filter((word) => !isFiller(word));
  const acts = hasMeaning(first, EFFECTS) || ['list', 'show', 'tell'].includes(first);
  return (
    acts &&
    more.length > 0 &&
    (score >= CERTAIN || !(getValueKind(field) === 'text' || getValueKind(field) === 'new-name'))
  );
}

/** Handles a reply that is a new request, such as "which version is deployed now?". After a lookup, the earlier question stays open. */
function asRequest(ask: OpenQuestion, text: string, around: RequestContext): ReplyOutcome {
  const { tool: asked, args } = ask;
  const isAbout = asked !== null && Object.keys(args).length > 0;
  const last = isAbout ? { tool: asked, args, result: null } : around.last;
  const step = createRequestStep(text, { ...around, last });
  const tool = ('call' in step && step.call.tool) || ('then' in step && step.then.tool);
  const isLook = around.index.tools.some(({ name, isHarmless }) => isHarmless && name === tool);
  return { answered: false, dropped: !isLook, step };
}

/** Words of a question about the choices, such as "which ones are there?". */
const ABOUT_CHOICES = wordSet(
  'which what are is there ones one the they these options choices do you have i can choose from pick',
);
function withChoices(ask: OpenQuestion): ReplyOutcome {
  const choices = sayList(ask.choices.map(({ label }) => label));
  return { answered: false, step: { ...toAnswerStep(say('planner.choices', { choices }), 'result'), offer: ask } };
}

/** Asks the question again; the second time, drops the question. */
function again(ask: OpenQuestion): ReplyOutcome {
  if (ask.tries > 0) return { answered: false, dropped: true, step: toAnswerStep(say('planner.gave-up'), 'failed') };
  const question = `${say('planner.not-an-answer')} ${ask.question}`;
  return { answered: false, step: toQuestionStep(question, { ...ask, tries: ask.tries + 1 }) };
}

function dropped(): ReplyOutcome {
  return { answered: false, dropped: true, step: toAnswerStep(say('planner.dropped'), 'cancelled') };
}
