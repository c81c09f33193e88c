import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { ActionKind, AgentClass, Environment, Risk } from '@signalbox/contracts/governance/action';
import type { ApproverQuestion, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import { Role } from '@signalbox/contracts/governance/roles';
import type { LoadQuestion } from './engine.ts';

/** Scores where an outline has none: the middle of what the risk spans. */
const USUAL_SCORE = { safe: 0.1, sensitive: 0.4, dangerous: 0.8 } as const;

/** What is common to all questions: who, for which agent, when. */
const moment = {
  role: Role.default('developer'),
  userKey: z.string().min(1).max(120).default('1001'),
  agentClass: AgentClass.default('CONTROL_PLANE'),
  channel: z.string().default('telegram'),
  inGroup: z.boolean().default(false),
  at: z.iso.datetime({ offset: true }).default('2026-01-14T10:00:00Z'), // a Wednesday
  frozen: z.boolean().default(false),
  breakGlass: z.boolean().default(false),
  callsLeft: z.number().nullable().default(null),
  tokensLeft: z.number().nullable().default(null),
  costUsdLeft: z.number().nullable().default(null),
  granted: z.boolean().default(false),
  otherApprovers: z.int().min(0).default(2),
};

const call = {
  kind: ActionKind.default('tool_call'),
  tool: z.string().min(1).default('example_tool'),
  group: z.string().min(1).default('example'),
  leastRole: Role.optional(),
  environment: Environment.default('none'),
  resources: z.array(z.string()).default([]),
  arguments: z.record(z.string(), z.json()).default({}),
  risk: Risk.default('safe'),
  score: z.number().min(0).max(1).optional(),
  tainted: z.boolean().default(false),
  touchesPrivate: z.boolean().default(false),
  egress: z.boolean().default(false),
  /** Of the words that asked for it; left out for words that are not old. */
  ageMinutes: z.number().min(0).optional(),
};

/** A call in few words: what is left out is harmless, so that an example says only what matters to it. */
export const CallOutline = z.strictObject({ ...moment, ...call });
export type CallOutline = z.infer<typeof CallOutline>;

/** A press on Approve in few words: `role` and `userKey` are the approver's, `authors` are others by default. */
export const ApproverOutline = z.strictObject({
  ...moment,
  ...call,
  authors: z.array(z.string()).default(['1002']),
  ageMs: z.number().min(0).default(0),
});
export type ApproverOutline = z.infer<typeof ApproverOutline>;

/** A capability group that is to be loaded, in few words. */
export const LoadOutline = z.strictObject({ ...moment, group: z.string().min(1) });
export type LoadOutline = z.infer<typeof LoadOutline>;

/** The whole question of an outline. */
export function callQuestion(outline: CallOutline): PolicyQuestion {
  return { principal: principalOf(outline), action: actionOf(outline), context: contextOf(outline) };
}

/** The whole question of an outline. */
export function approverQuestion(outline: ApproverOutline): ApproverQuestion {
  const { role, userKey, authors, ageMs } = outline;
  return { approver: { role, userKey }, authors, ageMs, action: actionOf(outline), context: contextOf(outline) };
}

/** The whole question of an outline. */
export function loadQuestion(outline: LoadOutline): LoadQuestion {
  return { principal: principalOf(outline), group: outline.group, context: contextOf(outline) };
}

type Moment = Omit<LoadOutline, 'group'>;

function principalOf({ role, userKey, agentClass }: Moment): PolicyQuestion['principal'] {
  return { role, userKey, agentClass };
}

function actionOf(outline: CallOutline): PolicyQuestion['action'] {
  const { kind, tool, group, environment, resources, leastRole, risk, tainted, touchesPrivate, egress } = outline;
  const score = outline.score ?? USUAL_SCORE[risk];
  const age = outline.ageMinutes === undefined ? {} : { ageMs: outline.ageMinutes * MINUTE_MS };
  const assessment = { risk, score, reasons: [], tainted, touchesPrivate, egress, ...age };
  const least = leastRole === undefined ? {} : { leastRole };
  return { kind, tool, group, environment, resources, arguments: outline.arguments, assessment, ...least };
}

function contextOf(outline: Moment): PolicyQuestion['context'] {
  const { channel, inGroup, at, frozen, breakGlass, granted, otherApprovers } = outline;
  const { callsLeft, tokensLeft, costUsdLeft } = outline;
  const budget = { callsLeft, tokensLeft, costUsdLeft };
  return { channel, inGroup, at, frozen, breakGlass, budget, granted, otherApprovers };
}
