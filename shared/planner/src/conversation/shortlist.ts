import { say } from '@signalbox/messages/say';
import { type OpenAsk, type PlannedCall, type Step, sayStep } from '../requests/marks.ts';
import { SEARCH, askWhichIsMeant, sayAct } from '../requests/questions.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';
import { findUnexplained } from '../requests/plain-order.ts';
import { createToolStep } from '../requests/calls.ts';
import { isAgreement } from '../requests/small-talk.ts';
import { type Surroundings, mentionsIn } from '../requests/understanding.ts';
import { asks, readHold } from '../text/holds.ts';
import { isPlainWord, findRefs } from '../slots/refs.ts';
import { cleanText } from '../text/tokens.ts';
import { findExactChoice } from './choices.ts';

/** What in most languages begins the words of somebody else, or asks. */
const QUOTED_OR_ASKED = /:\s|["“„«「?？]/;

/** What a step would change; null for one that changes nothing, or does not act yet. */
function changeOf(step: Step, { tools }: ToolIndex): { readonly tool: IndexedTool; readonly call: PlannedCall } | null {
  if (step.kind !== 'call' && step.kind !== 'load') return null;
  const call = step.kind === 'call' ? step.call : step.then;
  const tool = tools.find(({ name }) => name === call.tool);
  return tool && !tool.isHarmless ? { tool, call } : null;
}

/** The step of a planner that may not change anything: one that changes something, or asks for what a change needs, is refused instead. */
export function keepReads(step: Step, { index }: Surroundings): Step {
  const name = step.kind === 'ask' ? (step.ask.tool ?? step.ask.readings?.[0]?.tool) : changeOf(step, index)?.tool.name;
  const tool = index.tools.find((one) => one.name === name);
  return tool && !tool.isHarmless ? sayStep(say('planner.only-looks', { change: sayAct(tool.name) }), 'cannot') : step;
}

/**
 * The step itself when all that was said explains it, or it changes nothing; otherwise the question which change is meant. `earlier`: what was
 * said before the questions that `text` answers; null when it answers none.
 */
export function keepIfPlain(
  step: Step,
  { earlier, text }: { readonly earlier: readonly string[] | null; readonly text: string },
  around: Surroundings,
): Step {
  if (step.kind === 'say' && step.says.kind === 'cannot' && !step.offer) {
    const named = namedChanges(cleanText(text), around);
    return named.length === 0 ? step : askWhichIsMeant(named, cleanText(text), around.index);
  }
  const change = changeOf(step, around.index);
  if (!change) return step.kind === 'ask' ? { ...step, ask: { ...step.ask, said: [...(earlier ?? []), text] } } : step;
  const planned = { tool: change.tool, args: change.call.args };
  const isPlain =
    findUnexplained(text, planned, around, earlier === null ? 'only' : 'answer').length === 0 &&
    (earlier ?? []).every((one) => findUnexplained(one, planned, around, 'earlier').length === 0);
  if (isPlain) return step;
  return askWhichIsMeant([change.call], cleanText(text), around.index);
}

/** What an answer to the question which change is meant leads to; null when it is none. */
export function takeReading(ask: OpenAsk, text: string, around: Surroundings): Step | 'none' | null {
  const readings = ask.readings ?? [];
  const picked = findExactChoice(text, ask.choices);
  // Each choice stands for the reading in its place; the last one for none of them.
  const place = ask.choices.findIndex(({ value }) => value === picked);
  if (place !== -1 && place === readings.length) return 'none';
  const call = readings[place] ?? (readings.length === 1 && isAgreement(text) ? readings[0] : undefined);
  if (call?.tool === SEARCH) return { kind: 'call', call };
  const tool = call && around.index.tools.find(({ name }) => name === call.tool);
  return call && tool ? createToolStep(tool, '', call.args, around) : null;
}

/**
 * The changes that take all that a text names and nothing else, when that is a project and two things more: whatever language the rest of it
 * is in, names and versions are the same.
 */
function namedChanges(text: string, around: Surroundings): readonly PlannedCall[] {
  const { facts, index } = around;
  const mentions = mentionsIn(text, around);
  const versions = findRefs(text, mentions, false)
    .map(({ value }) => value)
    .filter((value) => !isPlainWord(value));
  const values = new Set([...mentions.map(({ name }) => name), ...versions]);
  if (!mentions.some(({ name }) => facts.known['project']?.includes(name)) || values.size < 3) return [];
  if (QUOTED_OR_ASKED.test(text) || asks(text) || readHold(text) !== null) return [];
  return index.tools
    .filter(({ installed, isHarmless }) => installed && !isHarmless)
    .map((tool) => changeOf(createToolStep(tool, text, {}, around), index)?.call)
    .filter((call) => call !== undefined)
    .filter(({ args }) => {
      const given = Object.values(args).map(String);
      return given.every((value) => values.has(value)) && [...values].every((value) => given.includes(value));
    });
}
