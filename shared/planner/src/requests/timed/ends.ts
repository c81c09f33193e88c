import { readEnd, readEndTime } from '@signalbox/messages/schedule/read-end';
import { createToolStep } from '../calls.ts';
import type { PlannerStep } from '../marks.ts';
import { askForSlot } from '../questions.ts';
import { type RequestContext, rankRequestTools } from '../understanding.ts';

/*
 * A service is muted for a number of hours. When somebody says until when, a person says how many hours that are: nobody knows whether eight
 * is in the morning.
 */

const MUTE_TOOL = 'mute_service';

/** Returns the English of an order to mute until a time, with the words about the time as they were said; null for any other text. */
export function keepEnd(
  said: string,
  toEnglish: (text: string) => string,
  around: Pick<RequestContext, 'facts' | 'index'>,
): string | null {
  const end = readUntil(said);
  const order = end && toEnglish(end.rest);
  return order !== null && isMute(order, around) ? `${order} until ${end?.until ?? ''}` : null;
}

/** Asks for the hours of an order to mute until a time; null for any other text. */
export function askForHours(text: string, around: RequestContext): PlannerStep | null {
  const end = readUntil(text);
  const tool = around.index.tools.find(({ name, installed }) => installed && name === MUTE_TOOL);
  const hours = tool?.fields.find(({ name }) => name === 'hours');
  if (!end || !tool || !hours || !isMute(end.rest, around)) return null;
  const step = createToolStep(tool, end.rest, {}, around);
  if (step.kind !== 'call' && step.kind !== 'load') return step;
  const { hours: _, ...args } = step.kind === 'call' ? step.call.args : step.then.args;
  return askForSlot(hours, { tool, args, facts: around.facts, text, tries: 0 });
}

/** The end that a text names as a moment; null for a length, such as “for two hours”. */
function readUntil(text: string): { readonly until: string; readonly rest: string } | null {
  const { until = null, rest = '' } = readEnd(text) ?? {};
  const when = until === null ? undefined : readEndTime(until)?.when;
  return until === null || when === undefined || when.kind === 'after' ? null : { until, rest };
}

function isMute(order: string, around: Pick<RequestContext, 'facts' | 'index'>): boolean {
  const [best] = rankRequestTools(order, { ...around, last: null });
  return best?.tool.name === MUTE_TOOL && best.tool.installed;
}
