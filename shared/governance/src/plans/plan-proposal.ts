import type { Risk, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { PolicyDecision, PolicyEffect } from '@signalbox/contracts/governance/decision';
import { coversRole } from '@signalbox/contracts/governance/roles';
import type { PlannedStep, Proposal } from '@signalbox/store/governance/approvals';
import type { CallScope, RunnableCall } from '../calls/call.ts';
import { createProposedAction } from '../proposal.ts';

const EFFECTS: readonly PolicyEffect[] = ['run', 'confirm', 'ask', 'deny'];
const RISKS: readonly Risk[] = ['safe', 'sensitive', 'dangerous'];
const MAX_REASONS = 20;

type Scope = Parameters<typeof createProposedAction>[0];

/** Builds the proposal of a plan from those of its steps: the strictest rule decides who approves, and how many. Pure. */
export function createPlanProposal(
  scope: Pick<CallScope, keyof Scope>,
  call: RunnableCall,
  steps: readonly PlannedStep[],
  parentActionId: string | null,
): Proposal {
  const proposals = steps.map(({ proposal }) => proposal);
  const strictest = findStrictest(proposals);
  const decision = mergeDecisions(proposals);
  const assessment = mergeAssessments(proposals.map(({ action }) => action.assessment));
  const action = createProposedAction(scope, call, assessment, parentActionId);
  const { kind, tool, group, environment, resources, arguments: args } = action;
  const asked = { kind, tool, group, environment, resources, arguments: args, assessment, leastRole: call.tool.role };
  return { action, question: { ...strictest.question, action: asked }, decision, steps };
}

/** The proposal of the step with the strictest rule; of equal ones the first. */
export function findStrictest<P extends Pick<Proposal, 'decision'>>(proposals: readonly P[]): P {
  const [first, ...others] = proposals;
  if (!first) throw new Error('a plan has steps');
  return others.reduce((most, one) => (isStricter(one.decision, most.decision) ? one : most), first);
}

function isStricter(one: PolicyDecision, than: PolicyDecision): boolean {
  const effects = EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(than.effect);
  if (effects !== 0 || one.approval === null || than.approval === null) return effects > 0;
  if (one.approval.role !== than.approval.role) return coversRole(one.approval.role, than.approval.role);
  return one.approval.approvals > than.approval.approvals;
}

/** The strictest decision, with the most people, the highest role and the shortest time that any of its kind demands. Pure. */
export function mergeDecisions(proposals: readonly Pick<Proposal, 'decision'>[]): PolicyDecision {
  const { decision: strictest } = findStrictest(proposals);
  const score = Math.max(...proposals.map(({ decision }) => decision.score));
  if (strictest.approval === null) return { ...strictest, score };
  const alike = proposals.flatMap(({ decision }) =>
    decision.effect === strictest.effect && decision.approval ? [decision.approval] : [],
  );
  const approval = {
    approvals: Math.max(...alike.map(({ approvals }) => approvals)),
    role: strictest.approval.role,
    expiresMs: Math.min(...alike.map(({ expiresMs }) => expiresMs)),
    solo: alike.every(({ solo }) => solo),
  };
  return { ...strictest, score, approval };
}

function mergeAssessments(all: readonly RiskAssessment[]): RiskAssessment {
  const risks = all.map(({ risk }) => risk);
  const ages = all.flatMap(({ ageMs }) => ageMs ?? []);
  const refusal = all.find((one) => one.refusal !== undefined)?.refusal;
  return {
    risk: RISKS.findLast((risk) => risks.includes(risk)) ?? 'dangerous',
    score: Math.max(...all.map(({ score }) => score)),
    reasons: [...new Set(all.flatMap(({ reasons }) => reasons))].slice(0, MAX_REASONS),
    tainted: all.some(({ tainted }) => tainted),
    touchesPrivate: all.some(({ touchesPrivate }) => touchesPrivate),
    egress: all.some(({ egress }) => egress),
    ...(ages.length > 0 ? { ageMs: Math.max(...ages) } : {}),
    ...(refusal === undefined ? {} : { refusal }),
  };
}
