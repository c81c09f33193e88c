import { say } from '@signalbox/messages/say';
import { type OpenQuestion, type PlannedCall, type PlannerStep, toAnswerStep } from '../requests/marks.ts';
import { SEARCH_TOOL, askWhichIsMeant, formatToolName } from '../requests/questions.ts';
import { MENU_SLOT } from '../requests/menu.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';
import { findUnexplained } from '../requests/plain-order.ts';
import { FREEZE_TOOLS } from '../requests/timed/freezes.ts';
import { SCHEDULE_TOOL } from '../requests/timed/schedules.ts';
import { createToolStep } from '../requests/calls.ts';
import { isAgreement } from '../requests/small-talk.ts';
import { type RequestContext, listMentions } from '../requests/understanding.ts';
import { isQuestionText, findHoldReason } from '../text/holds.ts';
import { isPlainWord, findGitRefs } from '../slots/refs.ts';
import { holdsShieldedWords } from '../text/exact-values.ts';
import { cleanText } from '../text/tokens.ts';
import { findExactChoice } from './choices.ts';

/** Punctuation of quotations and questions in most languages. */
const QUOTED_OR_ASKED = /:\s|["“„«「?？]/;

/** Returns the change that a step would make; null when the step changes nothing. */
function changeOf(
  step: PlannerStep,
  { tools }: ToolIndex,
): { readonly tool: IndexedTool; readonly call: PlannedCall } | null {
  if (step.kind !== 'call' && step.kind !== 'load') return null;
  const call = step.kind === 'call' ? step.call : step.then;
  const tool = tools.find(({ name }) => name === call.tool);
  return tool && !tool.isHarmless ? { tool, call } : null;
}

/** Replaces a step that changes something by a refusal, for a planner that may only read. */
export function refuseChanges(step: PlannerStep, { index }: RequestContext): PlannerStep {
  const name = step.kind === 'ask' ? (step.ask.tool ?? step.ask.readings?.[0]?.tool) : changeOf(step, index)?.tool.name;
  const tool = index.tools.find((one) => one.name === name);
  return tool && !tool.isHarmless
    ? toAnswerStep(say('planner.only-looks', { change: formatToolName(tool.name) }), 'cannot')
    : step;
}

/**
 * Returns the step when it changes nothing or explains every word; otherwise asks which change is meant. `earlier`: the texts before the
 * questions that `text` answers.
 */
export function requirePlainOrder(
  step: PlannerStep,
  { earlier, text }: { readonly earlier: readonly string[] | null; readonly text: string },
  around: RequestContext,
): PlannerStep {
  if (step.kind === 'say' && step.says.kind === 'cannot' && (!step.offer || step.offer.slot === MENU_SLOT)) {
    const named = namedChanges(cleanText(text), around);
    return named.length === 0 ? step : askWhichIsMeant(named, cleanText(text), around.index);
  }
  const change = changeOf(step, around.index);
  // Its task and its time are the whole text, and the words of a freeze were looked at one by one.
  if (change && (change.tool.name === SCHEDULE_TOOL || FREEZE_TOOLS.has(change.tool.name))) return step;
  if (!change) return step.kind === 'ask' ? { ...step, ask: { ...step.ask, said: [...(earlier ?? []), text] } } : step;
  const planned = { tool: change.tool, args: change.call.args };
  const isPlain =
    !holdsShieldedWords(text) &&
    findUnexplained(text, planned, around, earlier === null ? 'only' : 'answer').length === 0 &&
    (earlier ?? []).every((one) => findUnexplained(one, planned, around, 'earlier').length === 0);
  if (isPlain) return step;
  return askWhichIsMeant([change.call], cleanText(text), around.index);
}

/** Reads the reply to the question which change is meant; null when the text is no reply. */
export function readOfferReply(ask: OpenQuestion, text: string, around: RequestContext): PlannerStep | 'none' | null {
  const readings = ask.readings ?? [];
  const picked = findExactChoice(text, ask.choices);
  // Choices and possible calls have the same order; the last choice means none of them.
  const place = ask.choices.findIndex(({ value }) => value === picked);
  if (place !== -1 && place === readings.length) return 'none';
  const call = readings[place] ?? (readings.length === 1 && isAgreement(text) ? readings[0] : undefined);
  if (call?.tool === SEARCH_TOOL) return { kind: 'call', call };
  const tool = call && around.index.tools.find(({ name }) => name === call.tool);
  return call && tool ? createToolStep(tool, '', call.args, around) : null;
}

/** Finds changes by their values alone, in any language: the text names a project and two more values, and the change takes all three. */
function namedChanges(text: string, around: RequestContext): readonly PlannedCall[] {
  const { facts, index } = around;
  const mentions = listMentions(text, around);
  const versions = findGitRefs(text, mentions, false)
    .map(({ value }) => value)
    .filter((value) => !isPlainWord(value));
  const values = new Set([...mentions.map(({ name }) => name), ...versions]);
  if (!mentions.some(({ name }) => facts.known['project']?.includes(name)) || values.size < 3) return [];
  if (QUOTED_OR_ASKED.test(text) || isQuestionText(text) || findHoldReason(text) !== null) return [];
  return index.tools
    .filter(({ installed, isHarmless }) => installed && !isHarmless)
    .map((tool) => changeOf(createToolStep(tool, text, {}, around), index)?.call)
    .filter((call) => call !== undefined)
    .filter(({ args }) => {
      const given = Object.values(args).map(String);
      return given.every((value) => values.has(value)) && [...values].every((value) => given.includes(value));
    });
}
