import { say, sayQuestion } from '@signalbox/messages/say';
import { readAnswer } from '../slots/answer-values.ts';
import type { IndexedTool } from '../match/capability-index.ts';
import { exactChoice, pickChoice } from '../slots/choices.ts';
import { VERBS } from '../text/concepts.ts';
import { takesNewName, takesText } from '../slots/field-kinds.ts';
import { isLabelOf, isSameChoice } from '../slots/labels.ts';
import type { OpenAsk } from './marks.ts';
import { CERTAIN } from '../match/match.ts';
import { findMentions } from '../text/mentions.ts';
import { isAsking, readMood } from '../moods/moods.ts';
import { beginsOrder } from '../moods/order-words.ts';
import { findQuantities } from '../text/quantities.ts';
import { askForProblem, isChange } from './questions.ts';
import { takeReading } from './readings.ts';
import { repairedAnswer } from '../moods/repairs.ts';
import { stepForRequest, stepForTool } from '../requests/requests.ts';
import { type Field, problemOf } from '../slots/schema.ts';
import { asksAbout } from '../moods/searches.ts';
import { fillSlots } from '../slots/slots.ts';
import { isRefusal, readSmallTalk } from '../moods/small-talk.ts';
import { type Step, askStep, sayStep } from './step.ts';
import { isFiller, sensesOf, tokenize } from '../text/tokens.ts';
import { type Surroundings, meantTools, understand } from '../requests/understanding.ts';
import { WORDS, asLine, inWordsOf } from '../words.ts';

/** How much of a refused value is repeated. */
const SHOWN_LENGTH = 60;

/** What an answer led to; `answered` is false when the text was none, and the step is then the question again or something new. */
export interface Answered {
  readonly answered: boolean;
  /** The person gave the question up: what was to come after it is given up with it. */
  readonly dropped?: boolean;
  readonly step: Step;
}

/**
 * Reads a text as the answer to our open question: a button's text, a number, a known name, a value that the argument takes.
 * A refusal drops the question; a text that clearly asks for something else is handled as that. Null for small talk.
 */
export function answerAsk(ask: OpenAsk, written: string, around: Surroundings): Answered | null {
  if (ask.readings) {
    const taken = takeReading(ask, written, around);
    if (taken === 'none') return dropped();
    if (taken) return { answered: true, step: taken };
    return otherwise(ask, written, around);
  }
  const text = meantAnswer(ask, written, around);
  const refused = isRefusal(text) && exactChoice(text, ask.choices) === null;
  if (!refused && leavesOpen(text, ask)) return again(ask);
  const picked = refused ? null : pickChoice(text, ask.choices, ask.question);
  if (ask.tool === null) {
    const tool = around.index.tools.find(({ name }) => name === picked);
    if (tool) return { answered: true, step: stepForTool(tool, ask.text, {}, around) };
    return otherwise(ask, text, around);
  }
  const tool = around.index.tools.find(({ name }) => name === ask.tool);
  const field = tool?.fields.find(({ name }) => name === ask.slot);
  if (!tool || !field) return null;
  if (!takesText(field) && readMood(text).mood === 'conditional')
    return { answered: false, dropped: true, step: sayStep(say('planner.no-conditions'), 'cannot') };
  if (!takesText(field) && COUNTER_QUESTION.test(text) && asksAbout(text)) return otherwise(ask, text, around);
  const instead = otherField(ask, tool, field, text);
  if (instead) return { answered: true, step: instead };
  if (picked !== null && problemOf(field, picked) === null && isOnlyChoice(text, picked, ask, around))
    return { answered: true, step: stepForTool(tool, '', { ...ask.args, [field.name]: picked }, around) };
  if (refused) return dropped();
  if (isSomethingElse(ask, field, text, around))
    return { answered: false, dropped: true, step: stepForRequest(text, asking(ask, around)) };
  if (readSmallTalk(text) !== null) return null;
  const args = { ...ask.args, ...corrections(ask, tool, field, text, around) };
  const corrected = Object.keys(args).some((name) => args[name] !== ask.args[name]);
  const value =
    picked !== null && problemOf(field, picked) === null ? picked : readValue(field, text, corrected, around);
  if (value === null) {
    if (corrected) return { answered: true, step: stepForTool(tool, '', args, around, ask.tries) };
    return answerBeside(ask, tool, text, around) ?? otherwise(ask, text, around);
  }
  const wanted = problemOf(field, value);
  if (wanted !== null) {
    if (ask.tries > 1) return { answered: false, step: sayStep(say('planner.gave-up'), 'gave-up') };
    const problem = { kind: 'invalid', field, written: asLine(text, SHOWN_LENGTH), wanted } as const;
    return { answered: true, step: askForProblem(tool, args, problem, around.facts, ask.text, ask.tries + 1) };
  }
  const rest = restOf(field, text, value);
  return { answered: true, step: stepForTool(tool, rest, { ...args, [field.name]: value }, around) };
}

/** What somebody who answers twice means by it; the text itself when the last of it answers nothing. */
function meantAnswer(ask: OpenAsk, text: string, around: Surroundings): string {
  const field = around.index.tools.find(({ name }) => name === ask.tool)?.fields.find(({ name }) => name === ask.slot);
  const meant = field && !takesText(field) ? repairedAnswer(text) : null;
  if (!field || meant === null) return text;
  const value = readAnswer(field, meant, around);
  return value !== null && problemOf(field, value) === null ? meant : text;
}

/** "Why would I stop it in production?" names a choice and takes none. */
const COUNTER_QUESTION =
  /^(?:(?:hm+|wait|but|and|so|ok|okay|well|eh|sorry)[, ]+)*(?:why|how|what|who|when|should|is it|do we|would)\b/i;

/** "Call it gardens instead" is no description. */
function readValue(field: Field, text: string, corrected: boolean, around: Surroundings): unknown {
  return corrected && takesText(field) ? null : readAnswer(field, text, around);
}

/** What an answer says beside the value; nothing that was used may fill another argument. */
function restOf(field: Field, text: string, value: unknown): string {
  if (takesText(field)) return '';
  if (takesNewName(field))
    return (
      /(?:[,:;]|\b(?:for|that|which|about)\b).*$/i.exec(text.replace(/^(?:how|what) about\b/i, ''))?.[0] ?? ''
    ).replace(/^[,;:]\s*(?:it(?:'s| is)? |and )?/i, ': ');
  const [quantity] = typeof value === 'number' ? findQuantities(text) : [];
  return quantity ? `${text.slice(0, quantity.start)} ${text.slice(quantity.end)}`.trim() : text;
}

/** What is asked instead of an answer is about the same thing: "which version is deployed now?" */
function asking(ask: OpenAsk, around: Surroundings): Surroundings {
  if (ask.tool === null || Object.keys(ask.args).length === 0) return around;
  return { ...around, last: { tool: ask.tool, args: ask.args, result: null, text: ask.text } };
}

function dropped(): Answered {
  return { answered: false, dropped: true, step: sayStep(say('planner.dropped'), 'cancelled') };
}

/** "Not production" of three and "both" of two say no value. */
function leavesOpen(text: string, { choices, question }: OpenAsk): boolean {
  if (choices.length < 2) return false;
  if (/^(?:no,? )?(?:not|anything but|everything but|except)\b/i.test(text))
    return pickChoice(text, choices, question) === null;
  if (!/\b(?:both|all|either|any)\b/i.test(text)) return false;
  const words = tokenize(text).map(({ lower }) => lower);
  const named = choices.filter(({ value }) => words.some((word) => isSameChoice(word, value)));
  return named.length !== 1;
}

/** More than the choice was said: "web-2 but for blog" says two things. */
function isOnlyChoice(text: string, picked: string, { choices }: OpenAsk, { facts, index }: Surroundings): boolean {
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  if (words.length <= 1 || choices.length === 0) return true;
  const lower = text.toLowerCase().replace(/[.!?\s]+$/, '');
  if (choices.some(({ label, value }) => [label.toLowerCase(), value.toLowerCase()].includes(lower))) return true;
  const others = findMentions(text, facts, index.words, index.closed).filter(({ name }) => name !== picked);
  if (others.length > 0) return false;
  return (
    words.every(({ lower: word }) => picked.toLowerCase().includes(word) || !index.words.has(word)) &&
    words.length <= 2 &&
    !/\d/.test(text.replace(picked, ''))
  );
}

/** Asked what to change, somebody names another argument: "repository". */
function otherField(ask: OpenAsk, tool: IndexedTool, asked: Field, text: string): Step | null {
  if (!isChange(tool)) return null;
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  const [only] = words;
  if (!only || words.length > 1) return null;
  const field = tool.fields.find((candidate) => !candidate.required && isLabelOf(only.lower, candidate));
  if (!field || (field === asked && ask.choices.length === 0)) return null;
  const question = (field.ask && sayQuestion(field.ask)) ?? WORDS.whatShould(inWordsOf(field.name));
  const choices = field.choices.map((value) => ({ label: value, value }));
  return askStep(question, { ...ask, slot: field.name, question, choices, tries: 0 });
}

/** Arguments that were known already and that the text says anew: "no, for blog". */
function corrections(
  ask: OpenAsk,
  tool: IndexedTool,
  asked: Field,
  text: string,
  around: Surroundings,
): Record<string, unknown> {
  if (takesText(asked) && !/^(?:no|sorry|wait|actually|oops|call it|i meant?)\b/i.test(text)) return {};
  const { facts, index } = around;
  const known = tool.fields.filter(
    (field) => field !== asked && Object.hasOwn(ask.args, field.name) && !takesText(field),
  );
  const fields = takesText(asked) ? known : [asked, ...known];
  const others = { ...facts, currentProject: null };
  const { args } = fillSlots({ text, fields, facts: others, words: index.words, closed: index.closed, given: {} });
  return Object.fromEntries(
    known.flatMap((field) => {
      const value = args[field.name];
      // The only known name is filled in by itself; what counts is what the person wrote.
      const said =
        field.entity === null ||
        field.entity === 'port' ||
        takesNewName(field) ||
        findMentions(text, facts, index.words, index.closed).some(({ name }) => name === value);
      return value === undefined || !said ? [] : [[field.name, value] as const];
    }),
  );
}

/** A text that answers another argument's question than the one that was asked: taken, and the question is put again. */
function answerBeside(ask: OpenAsk, tool: IndexedTool, text: string, around: Surroundings): Answered | null {
  const step = stepForTool(tool, text, ask.args, around, ask.tries);
  const learned = step.kind === 'ask' && Object.keys(step.ask.args).length > Object.keys(ask.args).length;
  return learned || (step.kind === 'ask' && step.ask.choices.length > 0 && step.ask.choices.length < ask.choices.length)
    ? { answered: true, step }
    : null;
}

function otherwise(ask: OpenAsk, text: string, around: Surroundings): Answered | null {
  if (isRefusal(text)) return dropped();
  if (readSmallTalk(text) !== null) return null;
  if (meantTools(understand(text, around)).length > 0 || asksAbout(text))
    return { answered: false, dropped: true, step: stepForRequest(text, asking(ask, around)) };
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

/**
 * Whether the text is a request of its own: it says what to do, and nearly in the words of a hint where it could be an answer.
 * For free text anything could be.
 */
function isSomethingElse(ask: OpenAsk, field: Field, text: string, around: Surroundings): boolean {
  const understood = understand(text, around);
  const [best] = meantTools(understood);
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  const asks = isAsking(understood.mood);
  const acts =
    asks || words.some(({ lower }) => sensesOf(lower).some(({ meaning, share }) => share >= 0.7 && VERBS.has(meaning)));
  if (!best || words.length < 2 || !acts) return false;
  if (takesText(field))
    return best.score >= CERTAIN && best.tool.name !== ask.tool && (asks || beginsOrder(words[0]?.lower ?? ''));
  if (best.tool.name === ask.tool && !takesNewName(field)) return false;
  if (asks && best.tool.installed && best.tool.name !== ask.tool) return true;
  if (!best.tool.installed && readAnswer(field, text, around) !== null) return false;
  return readAnswer(field, text, around) === null || best.score >= CERTAIN;
}
