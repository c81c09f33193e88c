import { say } from '@signalbox/messages/say';
import { pickChoice } from './choices.ts';
import type { OpenAsk } from './marks.ts';
import { askForProblem, isChange } from './questions.ts';
import { takeReading } from './shortlist.ts';
import { type Step, askStep, sayStep } from './step.ts';
import { findNewName, toName } from '../names/new-names.ts';
import { nearest } from '../names/spelling.ts';
import { knownNames } from '../names/mentions.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { asks, readHold } from '../requests/holds.ts';
import { stepForRequest, stepForTool } from '../requests/requests.ts';
import { isRefusal, readSmallTalk } from '../requests/small-talk.ts';
import { CONFIDENT, type Surroundings, matchesFor, mentionsIn } from '../requests/understanding.ts';
import { tidy } from '../slots/descriptions.ts';
import { takesNewName, takesText } from '../slots/field-kinds.ts';
import { fillSlots } from '../slots/fill.ts';
import type { Filled } from '../slots/filling.ts';
import { isLabelOf } from '../slots/labels.ts';
import { isNumber } from '../slots/numbers.ts';
import { type Field, problemOf } from '../slots/schema.ts';
import { EFFECTS } from '../text/thesaurus.ts';
import { isFiller, means, tokenize, wordsOf } from '../text/tokens.ts';
import { findQuantities, findQuoted, inUnitOf } from '../text/values.ts';
import { inWordsOf } from '../words.ts';

/** What has more words is a sentence and no name. */
const MOST_NAME_WORDS = 4;
/** A request that could also be the answer is taken for a request only when it is this near to a tool. */
const CERTAIN = 0.7;

/** What an answer led to; `answered` is false when the text was none, and the step is then the question again or something new. */
export interface Answered {
  readonly answered: boolean;
  /** The person gave the question up: what was to come after it is given up with it. */
  readonly dropped?: boolean;
  readonly step: Step;
}

/**
 * Reads a text as the answer to our open question: a button's text, a number, a known name, a value that the argument takes.
 * A refusal drops the question; a text that asks for something else is handled as that. Null for small talk.
 */
export function answerAsk(ask: OpenAsk, text: string, around: Surroundings): Answered | null {
  if (ask.readings) {
    const taken = takeReading(ask, text, around);
    if (taken === 'none') return dropped();
    if (taken) return { answered: true, step: taken };
    // What is offered needs no answer: anything else is a request of its own.
    return readSmallTalk(text) === null ? { answered: false, dropped: true, step: stepForRequest(text, around) } : null;
  }
  const tool = around.index.tools.find(({ name }) => name === ask.tool);
  const field = tool?.fields.find(({ name }) => name === ask.slot);
  if (!tool || !field) return null;
  const picked = pickChoice(text, ask.choices, ask.question);
  if (picked !== null && problemOf(field, picked) === null)
    return {
      answered: true,
      step: stepForTool(tool, withoutChoice(text, picked), { ...ask.args, [field.name]: picked }, around),
    };
  if (isRefusal(text)) return dropped();
  const instead = otherField(ask, tool, text);
  if (instead) return { answered: true, step: instead };
  if (isSomethingElse(ask, field, text, around))
    return { answered: false, dropped: true, step: stepForRequest(text, withAsked(ask, around)) };
  if (readSmallTalk(text) !== null && !takesNewName(field) && !takesText(field)) return null;
  const hold = takesText(field) || takesNewName(field) ? null : readHold(text);
  if (hold === 'conditional')
    return { answered: false, dropped: true, step: sayStep(say('planner.no-conditions'), 'cannot') };
  if (hold === 'forbidden' && !/^(?:no|not)\b/i.test(text)) return dropped();
  const value = readValue(field, text, around);
  if (value === null) return besides(ask, tool, text, around) ?? otherwise(ask, text, around);
  const wanted = problemOf(field, value);
  if (wanted === null) {
    const isWhole = takesText(field) || takesNewName(field);
    const corrected = isWhole ? ask.args : { ...ask.args, ...corrections(ask, tool, field, text, around) };
    return {
      answered: true,
      step: stepForTool(tool, isWhole ? '' : text, { ...corrected, [field.name]: value }, around),
    };
  }
  if (ask.tries > 1) return { answered: false, step: sayStep(say('planner.gave-up'), 'gave-up') };
  const call = { tool, args: ask.args, facts: around.facts, text: ask.text, tries: ask.tries + 1 };
  return { answered: true, step: askForProblem({ kind: 'invalid', field, written: text, wanted }, call) };
}

/** The value for a field in a text that answers its question; it may still be one that the schema refuses. Null when there is none. */
function readValue(field: Field, text: string, around: Surroundings): unknown {
  if (takesNewName(field)) return newName(field, text);
  if (takesText(field))
    return tidy(findQuoted(text)[0]?.value ?? text.replace(/^(?:it(?:'s| is)|that's)?\s*(?:for|about)\s+/i, ''));
  if (isNumber(field)) {
    const values = findQuantities(text).map((quantity) => inUnitOf(field.name, quantity));
    return values.findLast((value) => value !== null) ?? null; // "one gig. sorry, two" means the last
  }
  if (field.type === 'boolean') return readYesOrNo(text);
  const filled = fill([field], text, around);
  if (Object.hasOwn(filled.args, field.name)) return lastNamed(field, text, around) ?? filled.args[field.name];
  const [only, ...more] = tokenize(text).filter(({ lower }) => !isFiller(lower));
  if (!only || more.length > 0) return null;
  // As an answer even an everyday word may be a mistyped name.
  const known = field.choices.length > 0 ? field.choices : knownNames(around.facts, field.entity);
  const near = nearest(only.lower, known);
  if (known.length > 0) return near.length === 1 ? near[0] : null;
  return text.slice(only.start, only.end);
}

function readYesOrNo(text: string): boolean | null {
  if (/^(?:yes|y|yep|sure|true|on)\b/i.test(text)) return true;
  return /^(?:no|n|false|off)\b/i.test(text) ? false : null;
}

/** "prod. no wait, staging": of several names of the kind the last one counts. */
function lastNamed(field: Field, text: string, around: Surroundings): string | null {
  const named = mentionsIn(text, around).filter(
    ({ kind, candidates }) => kind === field.entity && candidates.length === 1,
  );
  return named.length > 1 && /\b(?:no|wait|sorry|rather|actually|oops)\b/i.test(text)
    ? (named.at(-1)?.name ?? null)
    : null;
}

const LEAD =
  /^(?:(?:let'?s|please|just|maybe|i'?d|we|should|like to|how about|call|name|it|be|is|the|project|its|it's|hm+|ok|okay|well|say|rather|use)[ ,]+)+/i;

function newName(field: Field, text: string): string | null {
  const called = /\b(?:called|named|call it|name it)\b/i.test(text)
    ? findNewName(text.slice(Math.max(0, text.search(/\b(?:called|named|call it|name it)\b/i))))
    : null;
  const quoted = findQuoted(text)[0];
  if (quoted ?? called) return toName(field, (quoted ?? called)?.value ?? '');
  const bare = (/^[^,:;]+/.exec(text.replace(LEAD, ''))?.[0] ?? '')
    .replace(/\s+(?:for|about|please|that|which|instead)\b.*$/i, '')
    .replace(/[.!?\s]+$/, '');
  return bare !== '' && bare.split(' ').length <= MOST_NAME_WORDS ? toName(field, bare) : null;
}

function withoutChoice(text: string, picked: string): string {
  return text.toLowerCase().includes(picked.toLowerCase()) && wordsOf(text).length > 2 ? text : '';
}

function fill(fields: readonly Field[], text: string, { facts, index }: Surroundings): Filled {
  return fillSlots({ text, fields, facts: { ...facts, currentProject: null }, language: index, given: {} });
}

/** Arguments that were known already and that the text says anew: "web-1 but for the blog". */
function corrections(
  ask: OpenAsk,
  tool: IndexedTool,
  asked: Field,
  text: string,
  around: Surroundings,
): Record<string, unknown> {
  const known = tool.fields.filter(
    (field) => field !== asked && Object.hasOwn(ask.args, field.name) && !takesText(field) && !takesNewName(field),
  );
  const { args } = fill([asked, ...known], text, around);
  const mentioned = mentionsIn(text, around).map(({ name }) => name);
  // The only known name is filled in by itself; what counts is what the person wrote.
  return Object.fromEntries(
    known.flatMap(({ name, entity }) =>
      args[name] === undefined || (entity !== null && entity !== 'port' && !mentioned.includes(String(args[name])))
        ? []
        : [[name, args[name]] as const],
    ),
  );
}

/** A text that answers another argument's question than the one that was asked: taken, and the question is put again. */
function besides(ask: OpenAsk, tool: IndexedTool, text: string, around: Surroundings): Answered | null {
  const step = stepForTool(tool, text, ask.args, { ...around, last: null }, ask.tries);
  const learned = step.kind === 'ask' && Object.keys(step.ask.args).length > Object.keys(ask.args).length;
  const narrowed = step.kind === 'ask' && step.ask.choices.length > 0 && step.ask.choices.length < ask.choices.length;
  return learned || narrowed ? { answered: true, step } : null;
}

/** Asked what to change, somebody names another argument: "repository". */
function otherField(ask: OpenAsk, tool: IndexedTool, text: string): Step | null {
  const [only, ...more] = wordsOf(text).filter((word) => !isFiller(word));
  if (!isChange(tool) || only === undefined || more.length > 0) return null;
  const field =
    tool.fields.find((one) => !one.required && one.name !== ask.slot && isLabelOf(only, one)) ??
    tool.fields.find((one) => !one.required && ask.choices.length > 0 && isLabelOf(only, one));
  if (!field) return null;
  const question = say('planner.what-should', { thing: inWordsOf(field.name) });
  return askStep(question, {
    ...ask,
    slot: field.name,
    question,
    choices: field.choices.map((value) => ({ label: value, value })),
    tries: 0,
  });
}

/** Whether the text is a request of its own: it says what to do, and is near to another tool. For free text anything could be. */
function isSomethingElse(ask: OpenAsk, field: Field, text: string, around: Surroundings): boolean {
  const words = wordsOf(text).filter((word) => !isFiller(word));
  const [best] = matchesFor(text, { ...around, last: null });
  if (asks(text) && !takesText(field))
    return best !== undefined && best.score >= CONFIDENT && best.tool.name !== ask.tool;
  const acts = means(words[0] ?? '', EFFECTS) || ['list', 'show', 'tell'].includes(words[0] ?? '');
  if (!best || words.length < 2 || !acts || best.tool.name === ask.tool) return false;
  return best.score >= (takesText(field) || takesNewName(field) ? CERTAIN : CONFIDENT);
}

/** What is asked instead of an answer is about the same thing: "which version is deployed now?" */
function withAsked(ask: OpenAsk, around: Surroundings): Surroundings {
  if (ask.tool === null || Object.keys(ask.args).length === 0) return around;
  return { ...around, last: { tool: ask.tool, args: ask.args, result: null, text: ask.text } };
}

function otherwise(ask: OpenAsk, text: string, around: Surroundings): Answered | null {
  if (isRefusal(text)) return dropped();
  if (readSmallTalk(text) !== null) return null;
  const [best] = matchesFor(text, { ...around, last: null });
  if (best && best.score >= CONFIDENT)
    return { answered: false, dropped: true, step: stepForRequest(text, withAsked(ask, around)) };
  return again(ask);
}

/** Puts the question once more; the second time it is dropped. */
function again(ask: OpenAsk): Answered {
  if (ask.tries > 0) return { answered: false, dropped: true, step: sayStep(say('planner.gave-up'), 'gave-up') };
  return {
    answered: false,
    step: askStep(`${say('planner.not-an-answer')} ${ask.question}`, { ...ask, tries: ask.tries + 1 }),
  };
}

function dropped(): Answered {
  return { answered: false, dropped: true, step: sayStep(say('planner.dropped'), 'cancelled') };
}
