import type { ProposedAction, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { PolicyEngine, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { Proposal } from '@signalbox/store/governance/approvals';
import type { ActionIntent, ActionMark } from '@signalbox/store/governance/actions';
import type { GovernanceFacts } from '@signalbox/store/governance/governance-facts';
import type { CallScope, RunnableCall } from './calls/call.ts';
import type { Tool } from './calls/tool.ts';
import type { InstalledTools } from './calls/tools.ts';
import type { BudgetLimits, CallExecution } from './deps.ts';
import { findReach } from './plans/reach.ts';

/** Creates the facts for deciding about a read, which needs no look-ups. */
export function createReadFacts(now: Date): GovernanceFacts {
  return {
    at: now.toISOString(),
    frozen: false,
    breakGlass: false,
    grantId: null,
    operators: 0,
    admins: 0,
    calls: 0,
    tokens: 0,
    costUsd: 0,
  };
}

/** Freezes a proposed action, which is immutable from then on. */
export function createProposedAction(
  scope: Pick<CallScope, 'actor' | 'agent' | 'threadId' | 'turnId' | 'chatKey'>,
  call: RunnableCall,
  assessment: RiskAssessment,
  parentActionId: string | null = null,
): ProposedAction {
  const { tool, group, name, actionId, input, resolved } = call;
  const action: ProposedAction = deepFreeze({
    actionId,
    parentActionId,
    kind: tool.kind,
    tool: name,
    group: group.name,
    toolVersion: tool.version(),
    // arguments are hashed, stored and shown as JSON
    arguments: JSON.parse(JSON.stringify(input)) as ProposedAction['arguments'],
    ...(resolved ? { resolved: JSON.parse(JSON.stringify(resolved)) as NonNullable<ProposedAction['resolved']> } : {}), // resolved values are hashed, stored and shown as JSON
    ...findReach(call),
    requester: { userKey: scope.actor.userKey, role: scope.actor.role },
    agent: scope.agent.id,
    agentClass: scope.agent.class,
    threadId: scope.threadId,
    turnId: scope.turnId,
    chatKey: scope.chatKey,
    assessment,
  });
  hashes.set(action, hashOf(action));
  return action;
}

/** Computes the hash that an approval is bound to: tool and version, arguments and their meaning, resources, requester. */
export function hashAction(action: ProposedAction): string {
  return hashes.get(action) ?? hashOf(action);
}

/** Computes the hash that the action of a call will have, before it is assessed. */
export function hashCall(userKey: string, { tool, name, input, resolved, ...call }: RunnableCall): string {
  return hashCanonical({
    tool: name,
    toolVersion: tool.version(),
    arguments: asJson(input),
    resolved: resolved ? asJson(resolved) : undefined,
    resources: findReach({ tool, name, input, resolved: resolved ?? null, ...call }).resources,
    requester: userKey,
  });
}

function asJson(value: unknown): Parameters<typeof hashCanonical>[0] {
  return JSON.parse(JSON.stringify(value)) as Parameters<typeof hashCanonical>[0]; // values are hashed as JSON
}

/** Caches the hashes of actions frozen by `propose`; stored actions are hashed anew. */
const hashes = new WeakMap<ProposedAction, string>();

function hashOf({ tool, toolVersion, arguments: args, resolved, resources, requester }: ProposedAction): string {
  // Without a look-up `resolved` is omitted, so that hashes of older actions stay valid.
  return hashCanonical({ tool, toolVersion, arguments: args, resolved, resources, requester: requester.userKey });
}

/** Asks policy about an action. `grantId`: the grant that replaces an approval which policy would need. Pure. */
export function decideAction(
  engine: PolicyEngine,
  action: ProposedAction,
  known: {
    readonly facts: GovernanceFacts;
    readonly limits: BudgetLimits;
    readonly place: { readonly channel: string; readonly inGroup: boolean; readonly leastRole: Tool['role'] };
  },
): Proposal & { readonly grantId: string | null } {
  const { facts, limits, place } = known;
  const question = (granted: boolean): PolicyQuestion => ({
    principal: { ...action.requester, agentClass: action.agentClass },
    action: {
      kind: action.kind,
      tool: action.tool,
      group: action.group,
      environment: action.environment,
      resources: action.resources,
      arguments: action.arguments,
      assessment: action.assessment,
      leastRole: place.leastRole,
    },
    context: {
      channel: place.channel,
      inGroup: place.inGroup,
      at: facts.at,
      frozen: facts.frozen,
      breakGlass: facts.breakGlass,
      budget: {
        callsLeft: left(limits.callsPerHour, facts.calls),
        tokensLeft: left(limits.tokensPerDay, facts.tokens),
        costUsdLeft: left(limits.costUsdPerDay, facts.costUsd),
      },
      granted,
      otherApprovers: facts.operators,
    },
  });
  const asked = question(false);
  const decision = engine.decide(asked);
  if (decision.effect !== 'ask' || facts.grantId === null) return { action, question: asked, decision, grantId: null };
  const withGrant = question(true);
  const eased = engine.decide(withGrant);
  return eased.effect === 'run'
    ? { action, question: withGrant, decision: eased, grantId: facts.grantId }
    : { action, question: asked, decision, grantId: null };
}

export function buildActionIntent(
  { call, scope }: Pick<CallExecution, 'call' | 'scope'>,
  { action, question, decision, steps }: Proposal,
): Omit<ActionIntent, 'roles' | 'events' | 'grantId'> {
  const marks: readonly ActionMark[] = call.tool.touchesPrivate ? ['private'] : [];
  return {
    actionId: call.actionId,
    parentActionId: action.parentActionId,
    turnId: scope.turnId,
    turnKey: scope.turnKey,
    threadId: scope.threadId,
    tool: call.name,
    arguments: action.arguments,
    proposal: { action, question, decision, ...(steps ? { steps } : {}) },
    hash: hashAction(action),
    marks,
  };
}

/** Converts a decision for a turn's record. `taint`: null when the assessment was frozen earlier. */
export function toRecordedDecision(
  { action, question, decision, steps }: Proposal,
  taint: RecordedDecision['taint'],
  taints: readonly RecordedDecision['taint'][] = [],
): RecordedDecision {
  const one = { action, question: question as unknown as RecordedDecision['question'], decision, taint }; // a policy question is JSON
  if (!steps) return one;
  return { ...one, steps: steps.map(({ proposal }, at) => toRecordedDecision(proposal, taints[at] ?? null)) };
}

/** Finds the call of a stored action; null when the tool, or that of a step, has changed since the decision. */
export function toRunnableCall(
  tools: InstalledTools,
  { action, steps }: Pick<Proposal, 'action' | 'steps'>,
): RunnableCall | null {
  const call = findCall(tools, action);
  if (!call || !steps) return call;
  const calls = steps.flatMap((step) => {
    const found = findCall(tools, step.proposal.action);
    return found ? [{ call: found, if: step.if }] : [];
  });
  return calls.length === steps.length ? { ...call, steps: calls } : null;
}

function findCall(tools: InstalledTools, action: Proposal['action']): RunnableCall | null {
  const found = tools.find(action.tool, [action.group]);
  if (!found || found.tool.version() !== action.toolVersion) return null;
  const parsed = found.tool.input.safeParse(action.arguments);
  const { actionId, tool: name, resolved = null } = action;
  return parsed.success ? { actionId, name, input: parsed.data, resolved, ...found } : null;
}

function left(limit: number | null, used: number): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
