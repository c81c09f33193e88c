import { say } from '@signalbox/messages/say';
import type { OpenAsk, PlannedCall } from './marks.ts';
import { type Step, askStep, sayStep } from './step.ts';
import { takesOffer } from './offers.ts';
import { speaksOf, unexplained } from '../requests/plain-order.ts';
import { stepForCall, stepForTool } from '../requests/requests.ts';
import { type Surroundings, understand } from '../requests/understanding.ts';
import { unclearText } from '../slots/introductions.ts';
import { exactChoice } from '../slots/choices.ts';
import { findMentions } from '../text/mentions.ts';
import { cleanText } from '../text/tokens.ts';
import { findVersionsFor } from '../text/versions.ts';
import { WORDS, asLine, inWordsOf } from '../words.ts';

/** A person reads three buttons; of more, none. */
const MOST_READINGS = 3;
const LABEL_LENGTH = 60;
/** What in most languages begins the words of somebody else, or asks. */
const QUOTED_OR_ASKED = /:\s|["“„«「?？]/;

/** What a step would change; null for one that changes nothing, or does not act yet. */
function changeOf(step: Step, { index }: Pick<Surroundings, 'index'>) {
  if (step.kind !== 'call' && step.kind !== 'load') return null;
  const call = step.kind === 'call' ? step.call : step.then;
  const tool = index.tools.find(({ name }) => name === call.tool);
  return tool && !tool.isHarmless ? { tool, call } : null;
}

/** The step of a planner that may not change anything: one that changes something, or asks for what a change needs, is refused instead. */
export function onlyLooking(step: Step, { index }: Pick<Surroundings, 'index'>): Step {
  const name = step.kind === 'ask' ? step.ask.tool : changeOf(step, { index })?.tool.name;
  const tool = index.tools.find((one) => one.name === name);
  return tool && !tool.isHarmless ? sayStep(WORDS.onlyLooks(doing(tool.name)), 'cannot') : step;
}

/**
 * The step itself when all that was said explains it, or it changes nothing; otherwise the question which change is meant. `earlier`: what was
 * said before the questions that `text` answers; null when it answers none.
 */
export function onlyIfPlain(
  step: Step,
  { earlier, text }: { readonly earlier: readonly string[] | null; readonly text: string },
  around: Surroundings,
): Step {
  if (step.kind === 'say' && step.isUnclear && around.mayChange) {
    const named = namedChanges(cleanText(text), around);
    return named.length === 0 ? step : askWhichReading(named, text, around);
  }
  const change = changeOf(step, around);
  if (!change) return step.kind === 'ask' ? { ...step, ask: { ...step.ask, said: [...(earlier ?? []), text] } } : step;
  const { tool, call } = change;
  const planned = { tool, args: call.args };
  const isPlain =
    unexplained(text, planned, around, earlier === null ? 'only' : 'answer').length === 0 &&
    (earlier ?? []).every((one) => unexplained(one, planned, around, 'earlier').length === 0);
  if (isPlain) return step;
  // A change that needs no argument is near to anything: it is offered only to who speaks of it.
  const isFar = Object.keys(call.args).length === 0 && !speaksOf(text, tool);
  return isFar
    ? sayStep(unclearText(text, [tool], around.index), 'cannot')
    : askWhichReading([call, ...otherReadings(call, text, around)], text, around);
}

/**
 * The changes that take all that a wish names and nothing else, when that is a project and two things more: whatever language the rest of it
 * is in, names and versions are the same.
 */
function namedChanges(text: string, around: Surroundings): readonly PlannedCall[] {
  const { facts, index } = around;
  const named = findMentions(text, facts, index.words, index.closed).map(({ name }) => name);
  const versions = findVersionsFor(text, { bare: false, target: false }).map(({ value }) => value);
  const values = new Set([...named, ...versions]);
  if (!named.some((name) => facts.known['project']?.includes(name)) || values.size < 3) return [];
  if (QUOTED_OR_ASKED.test(text) || understand(text, around).mood !== 'request') return [];
  const calls = index.tools
    .filter(({ installed, isHarmless }) => installed && !isHarmless)
    .map((tool) => changeOf(stepForTool(tool, text, {}, around), around)?.call)
    .filter((call) => call !== undefined)
    .filter(({ args }) => {
      const given = Object.values(args).map(String);
      return given.every((value) => values.has(value)) && [...values].every((value) => given.includes(value));
    });
  return calls.slice(0, MOST_READINGS);
}

/** The next changes that the text might ask for, with all that they need. */
function otherReadings(first: PlannedCall, text: string, around: Surroundings): readonly PlannedCall[] {
  const { matches } = understand(cleanText(text), around);
  const calls = matches
    .filter(({ tool }) => tool.name !== first.tool && !tool.isHarmless)
    .map(({ tool }) => changeOf(stepForTool(tool, cleanText(text), {}, around), around)?.call);
  return calls.filter((call) => call !== undefined).slice(0, MOST_READINGS - 1);
}

function askWhichReading(readings: readonly PlannedCall[], text: string, around: Surroundings): Step {
  const question = WORDS.isMeant(readings.map((call) => readingOf(call, around)));
  const choices = [...readings.map((call) => labelOf(call, around)), say('planner.none-of-these')].map((label) => ({
    label,
    value: label,
  }));
  return askStep(question, {
    tool: null,
    args: {},
    slot: 'reading',
    choices,
    question,
    text: cleanText(text),
    tries: 0,
    readings: [...readings],
  });
}

/** The change on a button: what is done, and the values alone. Without a stop at its end, which is taken off an answer before it is compared. */
function labelOf(call: PlannedCall, { index }: Pick<Surroundings, 'index'>): string {
  const values = Object.values(call.args).map(inText);
  const order =
    orderOf(call, index) ?? [doing(call.tool), ...(values.length > 0 ? [values.join(', ')] : [])].join(': ');
  return asLine(order, LABEL_LENGTH).replace(/[.!?,\s]+$/, '');
}

/** The sentence that the tool itself has for this change. */
function orderOf({ tool, args }: PlannedCall, { tools }: Surroundings['index']): string | null {
  return tools.find(({ name }) => name === tool)?.orderOf(args) ?? null;
}

/** The exact change, for people: what is done, and with which values. */
function readingOf(call: PlannedCall, { index }: Pick<Surroundings, 'index'>): string {
  const values = Object.entries(call.args).map(([name, value]) => `${inWordsOf(name)} ${inText(value)}`);
  return orderOf(call, index) ?? [doing(call.tool), ...(values.length > 0 ? [values.join(', ')] : [])].join(': ');
}

/** `create_project_intent` → Create project. */
function doing(tool: string): string {
  const words = tool.replaceAll('_', ' ').replace(/ intent$/, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What an answer to the question which change is meant leads to; null when it is none. */
export function takeReading(ask: OpenAsk, text: string, around: Surroundings): Step | 'none' | null {
  const readings = ask.readings ?? [];
  const picked = exactChoice(text, ask.choices);
  // Each choice stands for the reading in its place; the last one for none of them.
  const place = ask.choices.findIndex(({ value }) => value === picked);
  if (place !== -1 && place === readings.length) return 'none';
  const call = readings[place] ?? (readings.length === 1 && takesOffer(text) ? readings[0] : undefined);
  const tool = call && around.index.tools.find(({ name }) => name === call.tool);
  return call && tool ? stepForCall(call, tool, around) : null;
}
