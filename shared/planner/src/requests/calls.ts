import { say } from '@signalbox/messages/say';
import { type RequestContext, pointsBack, findReferredValue } from './understanding.ts';
import { type PlannedCall, type PlannerStep, toAnswerStep } from './marks.ts';
import { askForCorrection, askForSlot, askWhatToChange } from './questions.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { fillSlots } from '../slots/fill.ts';
import { wordsOf } from '../text/tokens.ts';
import { sayNotInstalled } from '../words.ts';

/** Returns a call of the tool with the arguments that a text contains. */
export function createPlannedCall(tool: IndexedTool, text: string, around: RequestContext): PlannedCall {
  const step = createToolStep(tool, text, {}, around);
  if (step.kind === 'call') return step.call;
  if (step.kind === 'load') return step.then;
  return { tool: tool.name, args: step.kind === 'ask' ? { ...step.ask.args } : {} };
}

/** Calls the tool, loads its group first, or asks for the first missing argument. */
export function createToolStep(
  tool: IndexedTool,
  text: string,
  given: Readonly<Record<string, unknown>>,
  around: RequestContext,
  tries = 0,
): PlannerStep {
  if (!tool.installed) return sayNotInstalledStep(tool, around);
  const { facts, index } = around;
  const { args: found, problem } = fillSlots({ text, fields: tool.fields, facts, language: index, given });
  const args = { ...found, ...referred(tool, text, found, problem?.field.name ?? null, around) };
  const call = { tool, args, facts, text, tries };
  if (problem && !Object.hasOwn(args, problem.field.name)) return askForCorrection(problem, call);
  const missing = tool.fields.find((field) => field.required && !Object.hasOwn(args, field.name));
  if (missing) return askForSlot(missing, call);
  return askWhatToChange(call) ?? createCallStep({ tool: tool.name, args }, tool, around);
}

/** Fills arguments that the text refers to or omits. A change takes only values that the text or its own tool group refers to. */
function referred(
  tool: IndexedTool,
  text: string,
  args: Readonly<Record<string, unknown>>,
  troubled: string | null,
  around: RequestContext,
): Record<string, unknown> {
  const { index, last } = around;
  const lastTool = index.tools.find(({ name }) => name === last?.tool);
  if (!last || !lastTool || text === '') return {};
  const isSameGroup = lastTool.group === tool.group;
  const points = pointsBack(text);
  const taken = tool.fields.flatMap((field) => {
    const { name, entity, required } = field;
    const isThing = entity !== null && entity !== 'name' && entity !== 'text';
    const goesOn = points || tool.isHarmless || (isSameGroup && wordsOf(text).length <= SHORT);
    const isWanted = required ? goesOn && (isThing || (points && isSameGroup)) : points && isSameGroup && isThing;
    const isNew = entity === 'port' && /\b(?:new|another|other|next)\b/i.test(text);
    if (!isWanted || isNew || Object.hasOwn(args, name) || name === troubled) return [];
    const value = findReferredValue(field, last, lastTool);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(taken);
}

/** A text of at most this many words, such as "roll back", refers to the previous subject. */
const SHORT = 5;

/** Returns the step that makes a call, or that loads the tool group first. */
export function createCallStep(call: PlannedCall, tool: IndexedTool, { bound }: RequestContext): PlannerStep {
  if (bound.has(call.tool)) return { kind: 'call', call };
  if (tool.group === null || !bound.has('request_capabilities'))
    return toAnswerStep(say('planner.cannot-load', { group: tool.group ?? tool.name }), 'failed');
  return { kind: 'load', group: tool.group, reason: `${tool.group}: ${tool.summary}`, then: call };
}

/** Returns the answer that the tool group is not installed. */
export function sayNotInstalledStep(tool: IndexedTool, { index }: RequestContext): PlannerStep {
  return toAnswerStep(sayNotInstalled(tool, index), 'not-installed', tool.group ?? tool.name);
}
