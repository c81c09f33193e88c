import { isQuestionText, findHoldReason } from '../text/holds.ts';
import { createPlannedCall, createToolStep } from './calls.ts';
import { MIN_MATCH_SCORE, type RequestContext, rankRequestTools } from './understanding.ts';
import type { PlannedCall, PlannerStep } from './marks.ts';
import { getValueKind } from '../slots/field-kinds.ts';
import { fillSlots } from '../slots/fill.ts';
import { EFFECTS, hasMeaning, tokenize, wordSet } from '../text/tokens.ts';

/*
 * A person orders a change under a condition: "if it is healthy, deploy 1.0 to production". The planner cannot judge the condition or
 * wait for it, so it runs a lookup, shows the result, and offers the change as a button.
 */

const CONJUNCTION = String.raw`(?:if|unless|once|when|whenever|after|until|as soon as|in case|provided(?: that)?)`;
const BEFORE_ORDER = new RegExp(String.raw`^(?:and |so |but )?${CONJUNCTION} (.+)$`, 'i');
const BEHIND_ORDER = new RegExp(String.raw`^(.+?),?\s+(?:but )?(?:only )?${CONJUNCTION} (.+)$`, 'i');

/** Maximum score of the second-best lookup relative to the best, as for requested lookups. */
const LEAD = 0.9;

/** Finds the change that a text orders under a condition; null without one. */
export function findConditionalChange(text: string, around: RequestContext): PlannedCall | null {
  const order = readCondition(text)?.order;
  if (order === undefined || isQuestionText(order) || findHoldReason(order) !== null) return null;
  const change = rankRequestTools(order, around).find(({ tool }) => tool.installed && !tool.isHarmless);
  return change && change.score >= MIN_MATCH_SCORE ? createPlannedCall(change.tool, order, around) : null;
}

/** Finds the lookup that checks the condition of a change; null when no lookup is similar enough. */
export function findCondition(text: string, around: RequestContext): PlannerStep | null {
  const { condition = '', order = '' } = readCondition(text) ?? {};
  const looks = rankRequestTools(condition, around).filter(({ tool }) => tool.installed && tool.isHarmless);
  const [look, second] = looks;
  if (!look || look.score < MIN_MATCH_SCORE || (second && second.score >= look.score * LEAD)) return null;
  // The condition refers to the values of the order, as in "deploy crm 1.9 to production once it is healthy".
  const { facts, index } = around;
  const fields = look.tool.fields.filter((field) => field.entity !== null || getValueKind(field) === 'version');
  const said = fillSlots({ text: condition, fields, facts, language: index, given: {} }).args;
  const { args } = fillSlots({ text: order, fields, facts, language: index, given: said });
  const step = createToolStep(look.tool, condition, args, around);
  return step.kind === 'call' || step.kind === 'load' ? step : null;
}

function readCondition(text: string): { readonly condition: string; readonly order: string } | null {
  const behind = BEFORE_ORDER.exec(text)?.[1];
  if (behind === undefined) {
    const [, order, condition] = BEHIND_ORDER.exec(text) ?? [];
    return order !== undefined && condition !== undefined ? { condition, order } : null;
  }
  // The order begins after a comma, or with the first verb that is not part of a noun or of somebody's action.
  const comma = /,\s*(?:then |please )*/.exec(behind);
  if (comma) return { condition: behind.slice(0, comma.index), order: behind.slice(comma.index + comma[0].length) };
  const tokens = tokenize(behind);
  const verb = tokens.find(
    ({ lower }, place) => hasMeaning(lower, EFFECTS) && !NO_ORDER_BEHIND.has(tokens[place - 1]?.lower ?? 'the'),
  );
  return verb ? { condition: behind.slice(0, verb.start), order: behind.slice(verb.start) } : null;
}

const NO_ORDER_BEHIND = wordSet(
  'the a an last this that my our its i we you they he she it to is are was were be of no',
);
