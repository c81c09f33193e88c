import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { Proposal } from '@signalbox/store/governance/approvals';
import { readActionFacts, readGovernanceFacts, type OwnWords } from '@signalbox/store/governance/governance-facts';
import { hasPressedOffer } from '@signalbox/store/pressed-offers';
import type { Queryable } from '@signalbox/store/pool';
import type { TextInView } from './calls/call.ts';
import type { CallExecution } from './deps.ts';
import { hashOffer } from './offers.ts';
import { createPlanProposal, findStrictest } from './plans/plan-proposal.ts';
import { createProposedAction, createReadFacts, decideAction, hashAction } from './proposal.ts';
import { decideRisk, findTaint, type Taint } from './provenance/risk.ts';

export interface CallOrigin {
  readonly view: TextInView | null;
  /** The action that an approver changed into this action, or the plan of this step. */
  readonly parentActionId: string | null;
}

/** A decision before it is carried out. `taints`: those of the steps of a plan. */
export type Decided = Proposal & {
  readonly grantId: string | null;
  readonly taint: Taint;
  readonly taints?: readonly RecordedDecision['taint'][];
};

/** Assesses the action and asks policy with current facts. A plan is decided by its steps, each as a call of its own. */
export async function decideCall(execution: CallExecution, origin: CallOrigin): Promise<Decided> {
  const { scope, call } = execution;
  if (!call.steps) return decideOne(execution, origin, false);
  const steps: { readonly proposal: Decided; readonly if: (typeof call.steps)[number]['if'] }[] = [];
  for (const step of call.steps) {
    const own = { view: origin.view, parentActionId: call.actionId };
    steps.push({ proposal: await decideOne({ ...execution, call: step.call }, own, true), if: step.if });
  }
  const plain = steps.map((step) => ({ proposal: toProposal(step.proposal), if: step.if }));
  const taints = steps.map(({ proposal }) => proposal.taint);
  const strictest = findStrictest(plain.map(({ proposal }) => proposal));
  const taint = taints[plain.findIndex(({ proposal }) => proposal === strictest)] ?? UNTAINTED;
  return { ...createPlanProposal(scope, call, plain, origin.parentActionId), grantId: null, taint, taints };
}

/** Asks policy about a frozen action with current rules, role and facts; grants do not count. */
export async function decideFrozen(execution: CallExecution, db: Queryable, frozen: Proposal): Promise<Proposal> {
  const { scope, call } = execution;
  if (!frozen.steps) return decideFrozenOne(execution, db, frozen);
  const steps: { readonly proposal: Proposal; readonly if: (typeof frozen.steps)[number]['if'] }[] = [];
  for (const step of frozen.steps)
    steps.push({ proposal: await decideFrozenOne(execution, db, step.proposal), if: step.if });
  return createPlanProposal(scope, call, steps, frozen.action.parentActionId);
}

/** Asks policy about a started action, with the facts from before its start. Null when outside text influenced the action. */
export function decideStarted({ deps, scope, call }: CallExecution, now: Proposal, then: Proposal): Decided | null {
  if (then.action.assessment.tainted) return null;
  if (then.steps) return { ...then, grantId: null, taint: UNTAINTED };
  const { tool, input, resolved } = call;
  const taint = { foreign: null, hasPrivate: then.action.assessment.touchesPrivate };
  const assessment = decideRisk(tool, input, taint, resolved);
  const action = createProposedAction(scope, call, assessment, now.action.parentActionId);
  const { frozen, breakGlass } = now.question.context;
  const question = {
    ...now.question,
    action: { ...now.question.action, assessment },
    context: { ...then.question.context, frozen, breakGlass },
  };
  return { action, question, decision: deps.policy().decide(question), grantId: null, taint };
}

async function decideOne(execution: CallExecution, origin: CallOrigin, isStep: boolean): Promise<Decided> {
  const { deps, scope, call } = execution;
  const { tool, input, resolved = null } = call;
  const { view, parentActionId } = origin;
  // The facts about a step are those of its plan, which starts with a row in the ledger.
  const isRead = tool.risk(input, resolved).risk === 'safe' && !tool.egress && !isStep;
  const found = isRead ? null : await findFacts(execution, view !== null);
  const age = scope.ageMs === undefined ? {} : { ageMs: scope.ageMs };
  const taint = await findTaint(call, { view, words: found?.words ?? UNREAD, ...age });
  const action = createProposedAction(scope, call, decideRisk(tool, input, taint, resolved), parentActionId);
  const known = found?.facts ?? createReadFacts(scope.now());
  // A grant covers one meaning of the arguments; the new meaning may differ. A plan is not the call that was granted.
  const facts = resolved === null && !isStep ? known : { ...known, grantId: null };
  const place = placeOf(execution);
  const decided = { ...decideAction(deps.policy(), action, { facts, limits: deps.limits, place }), taint };
  if (decided.decision.effect !== 'confirm' || isStep) return decided;
  const { lane, threadId, chatKey } = scope;
  const offer = hashOffer(action);
  const asked = { lane, threadId, chatKey, offer, action: { actionId: call.actionId, hash: hashAction(action) } };
  return (await hasPressedOffer(deps.pool, asked)) ? { ...decided, taint: { ...taint, pressed: offer } } : decided;
}

function findFacts({ deps, scope, call }: CallExecution, isBesideText: boolean): ReturnType<typeof readActionFacts> {
  const { tool, input, name, resolved } = call;
  const { agent, chatKey, threadId, actor: requester } = scope;
  const place = {
    agent: agent.id,
    chatKey,
    environment: tool.environment(input),
    resources: [...tool.resources(input, resolved)],
    toolVersion: tool.version(),
  };
  const isLimited = Object.values(deps.limits).some((limit) => limit !== null);
  const needs = { use: isLimited, words: isBesideText };
  return readActionFacts(deps.pool, { tool: name, arguments: input, requester, threadId, ...place }, needs);
}

async function decideFrozenOne(
  { deps, scope, call }: CallExecution,
  db: Queryable,
  { action, question }: Proposal,
): Promise<Proposal> {
  const { policy, limits } = deps;
  const facts = { ...(await readGovernanceFacts(db, action, null)), grantId: null };
  const { channel } = placeOf({ scope, call });
  const leastRole = question.action.leastRole ?? call.tool.role;
  const place = { channel, inGroup: question.context.inGroup, leastRole };
  const asker = { ...action, requester: { ...action.requester, role: scope.actor.role } };
  return toProposal(decideAction(policy(), asker, { facts, limits, place }));
}

function placeOf({ scope, call }: Pick<CallExecution, 'scope' | 'call'>): Parameters<typeof decideAction>[2]['place'] {
  const { chatKey, inGroup } = scope;
  return { channel: chatKey.split(':', 1)[0] ?? '', inGroup, leastRole: call.tool.role };
}

function toProposal({ action, question, decision, steps }: Proposal): Proposal {
  return { action, question, decision, ...(steps ? { steps } : {}) };
}

const UNREAD: OwnWords = { hasPrivate: false, said: [] };
const UNTAINTED: Taint = { foreign: null, hasPrivate: false };
