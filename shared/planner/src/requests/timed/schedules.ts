import { getCurrentLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { readScheduleRequest } from '@signalbox/messages/schedule/read-request';
import type { ToolIndex } from '../../rank/tool-index.ts';
import { isQuestionText } from '../../text/holds.ts';
import { createToolStep } from '../calls.ts';
import { type PlannerStep, toAnswerStep } from '../marks.ts';
import { SEARCH_TOOL } from '../questions.ts';
import { readInEnglish } from '../../translation/translate.ts';
import type { RequestContext } from '../understanding.ts';

/** The tool that makes reminders and scheduled orders. */
export const SCHEDULE_TOOL = 'create_schedule';

/** Plans a task as if it were said alone. */
type PlanTask = (task: string, around: RequestContext) => PlannerStep;

/**
 * Returns the step for a text about another time, so that such an order is never carried out now; null for every other text. `plan`: plans
 * the task as if it were said alone, because a task that is not understood now is not understood later.
 */
export function readSchedule(text: string, around: RequestContext, plan: PlanTask): PlannerStep | null {
  const request = readScheduleRequest(text);
  const tool = findScheduleTool(around.index);
  if (request === null || !tool || isAboutMemory(text, around)) return null;
  // “Whom do I call when something breaks at night?” is no order for each night.
  if (request.kind === 'task' && /^(?:who|whom|whose|why)\b/i.test(toEnglish(text, around))) return null;
  if (request.kind === 'unclear' || request.task === '') return toAnswerStep(say('planner.scheduleUnclear'), 'failed');
  const { kind, task, when, isQuiet } = request;
  if (kind === 'task' && !isComplete(plan(toEnglish(task, around), { ...around, last: null })))
    // A question changes nothing: “is deploying on fridays a good idea”.
    return isQuestionText(text) ? null : toAnswerStep(say('planner.scheduleTask', { task, when }), 'failed');
  return createToolStep(tool, '', { kind, task, when, only_if_wrong: isQuiet }, around);
}

/** True for a text that is a whole order for another time, which answers no question. */
export function isScheduleOrder(text: string, around: RequestContext, plan: PlanTask): boolean {
  const step = readSchedule(text, around, plan);
  return step?.kind === 'call' || step?.kind === 'load';
}

/** The group of tools for a text about another time; null for every other text. */
export function findScheduleGroup(text: string, index: ToolIndex): string | null {
  const isOther = readScheduleRequest(text) === null || isAboutMemory(text, { facts: NOTHING_KNOWN, index });
  return isOther ? null : (findScheduleTool(index)?.group ?? null);
}

/** True for an order to remember or forget something: a time in it, as in “forget that I deploy on Thursdays”, is no time of an order. */
function isAboutMemory(text: string, around: Pick<RequestContext, 'facts' | 'index'>): boolean {
  const begins = /^(?:please )?(?:remember|memorize|forget|keep in mind)\b/i;
  return begins.test(text) || begins.test(toEnglish(text, around));
}

const NOTHING_KNOWN = { known: {}, activeGroups: [], currentProject: null };

/** The text of a schedule is not translated, because its task is kept in the person's words. */
function toEnglish(task: string, { facts, index }: Pick<RequestContext, 'facts' | 'index'>): string {
  return readInEnglish(task, { known: facts.known, vocabulary: index, language: getCurrentLanguage() }).english;
}

function findScheduleTool({ tools }: ToolIndex): ToolIndex['tools'][number] | undefined {
  return tools.find(({ name, installed }) => installed && name === SCHEDULE_TOOL);
}

/** True for a step that calls a tool with everything it needs. A search of the documentation is what is left for other questions. */
function isComplete(step: PlannerStep): boolean {
  if (step.kind === 'load') return step.then.tool !== SEARCH_TOOL;
  return step.kind === 'call' && step.call.tool !== SEARCH_TOOL;
}
