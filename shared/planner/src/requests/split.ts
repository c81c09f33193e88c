import { findScheduleGroup } from './timed/schedules.ts';
import { isQuestionText } from '../text/holds.ts';
import { readLiteralRequest } from './literals.ts';
import { findUnexplained } from './plain-order.ts';
import { isRefusal, readSmallTalk } from './small-talk.ts';
import { MIN_MATCH_SCORE, type RequestContext, rankRequestTools } from './understanding.ts';
import { type IndexedTool } from '../rank/tool-index.ts';
import { fillSlots } from '../slots/fill.ts';
import { EFFECTS, isFiller, hasMeaning, tokenize, wordSet } from '../text/tokens.ts';
import { findAddresses, findQuoted } from '../text/values.ts';

/** Separators between two requests in one text. */
const JOINT =
  /[.;!?]+\s+(?:(?:and|then|also)\s+)?|\s*,?\s+(?:and then|after that|then|also|and|plus)\s+|\s*\+\s+|,\s+(?:and\s+)?/giu;
const MAX_PARTS = 8;

/** Splits a text into requests without changing its words. Each part must have an order or question and name a tool. */
export function splitRequests(
  text: string,
  around: Pick<RequestContext, 'facts' | 'index' | 'last'>,
): readonly string[] {
  // The parts of a scheduled order run together.
  if (findScheduleGroup(text, around.index) !== null) return [text];
  const literal = readLiteralRequest(text, around.index);
  if (literal || /\b(?:if|unless|once|when|in case|not|don'?t|without)\b/i.test(text)) return [text];
  const quoted = [...findQuoted(text), ...findAddresses(text)];
  const parts: { text: string; tool: IndexedTool | null }[] = [];
  let from = 0;
  for (const joint of [...text.matchAll(JOINT), null]) {
    if (joint && quoted.some(({ start, end }) => joint.index >= start && joint.index < end)) continue;
    const to = joint ? joint.index + (/^[?!]/.test(joint[0]) ? 1 : 0) : text.length;
    const next = joint ? text.slice(joint.index + joint[0].length) : '';
    const part = text.slice(from, to);
    if (joint && !beginsRequest(next, around)) continue;
    if (part.trim() !== '') parts.push({ text: part.trim(), tool: toolOf(part, around) });
    from = joint ? joint.index + joint[0].length : to;
  }
  const requests = parts.filter((part) => readSmallTalk(part.text) === null || isRefusal(part.text));
  const areAll =
    requests.length > 1 &&
    requests.length <= MAX_PARTS &&
    requests.every(({ text: part, tool }) => tool !== null && isPlain(part, tool, around));
  return areAll ? requests.map((part) => part.text) : [text];
}

/** True when the tool explains every word of a part. Any other word might restrict the other parts. */
function isPlain(text: string, tool: IndexedTool, around: Pick<RequestContext, 'facts' | 'index' | 'last'>): boolean {
  const { args } = fillSlots({ text, fields: tool.fields, facts: around.facts, language: around.index, given: {} });
  return (
    readLiteralRequest(text, around.index) !== null ||
    findUnexplained(text, { tool, args }, around, 'answer').every((word) => QUESTION_WORDS.has(word))
  );
}

const QUESTION_WORDS = wordSet('what which who whose how where when did does are was has have show tell me all last');

/** True when the text after a separator is a request of its own. */
function beginsRequest(rest: string, around: Pick<RequestContext, 'facts' | 'index' | 'last'>): boolean {
  const [part = ''] = rest.split(JOINT_END);
  const first = tokenize(part).find(({ lower }) => !isFiller(lower) || lower === 'is')?.lower ?? '';
  const begins =
    isQuestionText(part) || hasMeaning(first, EFFECTS) || around.index.tools.some(({ verbs }) => verbs.has(first));
  return begins && !/(?:ed|ing)$/.test(first) && toolOf(part, around) !== null;
}

const JOINT_END = /[.;!?]+\s+|,?\s+(?:and|then|also|plus)\s+|,\s+/;
function toolOf(part: string, around: Pick<RequestContext, 'facts' | 'index' | 'last'>): IndexedTool | null {
  const literal = readLiteralRequest(part.trim(), around.index);
  if (literal) return literal.tool;
  const [best] = rankRequestTools(part, { ...around, last: null });
  return best && best.score >= MIN_MATCH_SCORE ? best.tool : null;
}
