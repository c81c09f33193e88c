import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { ActionKind, AgentClass, ActionEnvironment, Risk } from '@signalbox/contracts/governance/action';
import type { ApproverQuestion, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import { Role } from '@signalbox/contracts/governance/roles';
import type { GroupQuestion } from './engine.ts';

/** Default risk scores: the middle of each risk's range. */
const DEFAULT_SCORE = { safe: 0.1, sensitive: 0.4, dangerous: 0.8 } as const;

const principalAndContext = {
  role: Role.default('developer'),
  userKey: z.string().min(1).max(120).default('1001'),
  agentClass: AgentClass.default('CONTROL_PLANE'),
  channel: z.string().default('telegram'),
  inGroup: z.boolean().default(false),
  at: z.iso.datetime({ offset: true }).default('2026-01-14T10:00:00Z'), // the default time is a Wednesday
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
  environment: ActionEnvironment.default('none'),
  resources: z.array(z.string()).default([]),
  arguments: z.record(z.string(), z.json()).default({}),
  risk: Risk.default('safe'),
  score: z.number().min(0).max(1).optional(),
  tainted: z.boolean().default(false),
  touchesPrivate: z.boolean().default(false),
  egress: z.boolean().default(false),
  /** The age of the request in minutes; missing for a recent request. */
  ageMinutes: z.number().min(0).optional(),
};

/** The short form of a policy question about a call. Defaults are harmless, so an example states only what matters. */
export const CallOutline = z.strictObject({ ...principalAndContext, ...call });
export type CallOutline = z.infer<typeof CallOutline>;

/** An outline of a press on Approve: `role` and `userKey` are the approver's; `authors` defaults to another person. */
export const ApproverOutline = z.strictObject({
  ...principalAndContext,
  ...call,
  authors: z.array(z.string()).default(['1002']),
  ageMs: z.number().min(0).default(0),
});
export type ApproverOutline = z.infer<typeof ApproverOutline>;

/** The short form of a policy question about loading a capability group. */
export const GroupOutline = z.strictObject({ ...principalAndContext, group: z.string().min(1) });
export type GroupOutline = z.infer<typeof GroupOutline>;

/** Expands the short form of an example to a policy question about a call. */
export function toCallQuestion(outline: CallOutline): PolicyQuestion {
  return { principal: toPrincipal(outline), action: toAction(outline), context: toContext(outline) };
}

/** Expands the short form of an example to a policy question about an approver. */
export function toApproverQuestion(outline: ApproverOutline): ApproverQuestion {
  const { role, userKey, authors, ageMs } = outline;
  return { approver: { role, userKey }, authors, ageMs, action: toAction(outline), context: toContext(outline) };
}

/** Expands the short form of an example to a policy question about loading a group. */
export function toGroupQuestion(outline: GroupOutline): GroupQuestion {
  return { principal: toPrincipal(outline), group: outline.group, context: toContext(outline) };
}

type Moment = Omit<GroupOutline, 'group'>;

function toPrincipal({ role, userKey, agentClass }: Moment): PolicyQuestion['principal'] {
  return { role, userKey, agentClass };
}

function toAction(outline: CallOutline): PolicyQuestion['action'] {
  const { kind, tool, group, environment, resources, leastRole, risk, tainted, touchesPrivate, egress } = outline;
  const score = outline.score ?? DEFAULT_SCORE[risk];
  const age = outline.ageMinutes === undefined ? {} : { ageMs: outline.ageMinutes * MINUTE_MS };
  const assessment = { risk, score, reasons: [], tainted, touchesPrivate, egress, ...age };
  const least = leastRole === undefined ? {} : { leastRole };
  return { kind, tool, group, environment, resources, arguments: outline.arguments, assessment, ...least };
}

function toContext(outline: Moment): PolicyQuestion['context'] {
  const { channel, inGroup, at, frozen, breakGlass, granted, otherApprovers } = outline;
  const { callsLeft, tokensLeft, costUsdLeft } = outline;
  const budget = { callsLeft, tokensLeft, costUsdLeft };
  return { channel, inGroup, at, frozen, breakGlass, budget, granted, otherApprovers };
}
