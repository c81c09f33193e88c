import type { PolicyEngine, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import type { ExecutionTurn, RecordedCall, RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import { coversRole } from '@signalbox/contracts/governance/roles';
import type { GovernanceFacts } from '@signalbox/store/governance/governance-facts';
import type { AgentRun } from '../agents/agent.ts';
import { decideRisk } from '@signalbox/governance/provenance/risk';
import { parseToolCall } from '../tools/call-reading.ts';
import { splitPhasesByCall, type PhaseMachine } from '../loop/fsm.ts';
import type { BudgetLimits } from '@signalbox/governance/deps';
import { createPlanProposal } from '@signalbox/governance/plans/plan-proposal';
import { readSteps } from '@signalbox/governance/plans/read-steps';
import { decideAction, createProposedAction, toRecordedDecision } from '@signalbox/governance/proposal';
import { rejectSecretInput } from '@signalbox/governance/provenance/verbatim';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import type { ToolRegistry } from '../tools/registry.ts';
import type { RunnableCall } from '@signalbox/governance/calls/call';
import type { ReplayCursor } from './cursor.ts';
import { toToolCallResult } from './result.ts';

interface Parts {
  readonly registry: ToolRegistry;
  engine(version: string, timeZone: string): Promise<PolicyEngine | null>;
}

interface Place {
  readonly head: ExecutionTurn;
  readonly run: RecordedTurnRun;
  readonly record: ExecutionTurn;
  readonly was: RecordedCall;
  readonly machine: PhaseMachine;
  readonly cursor: ReplayCursor;
}

/** Repeats the decision of a recorded call under the policy set of that time; the result comes from the record. */
export async function replayDecision(
  parts: Parts,
  place: Place,
  { callId, tool, args, groups }: Parameters<AgentRun['call']>[0],
): Promise<ToolCallResult> {
  const { machine, was, cursor } = place;
  const { agent } = place.head;
  const found = parseToolCall(parts.registry, { actionId: callId, tool, args, groups }, agent);
  const tools = { read: (call: Parameters<typeof parseToolCall>[1]) => parseToolCall(parts.registry, call, agent) };
  // Which groups the person might load was decided then.
  const all = parts.registry.groups.map(({ name }) => name);
  const author = { agent, role: place.run.actor.role, groups: all };
  const read = 'refused' in found ? found : readSteps(tools, found.runnable, () => author);
  if ('refused' in read) {
    machine.to('OBSERVING');
    return read.refused;
  }
  // An earlier release refused tools of groups that were not loaded.
  if (!was.decided && was.result.code === 'TOOL_UNKNOWN') {
    machine.to('OBSERVING');
    return toToolCallResult(was.result);
  }
  // The recorded call was refused before policy was asked.
  if (!was.decided && !was.result.ok && isUndecidable(read.runnable)) {
    machine.to('OBSERVING');
    return toToolCallResult(was.result);
  }
  if (!was.decided)
    return cursor.stop({ kind: 'differs', what: `call of ${tool}`, recorded: 'refused unread', now: 'readable' });
  const { policyVersion } = was.decided.decision;
  const engine = await parts.engine(policyVersion, place.head.policy.timeZone);
  if (!engine) return cursor.stop({ kind: 'unreplayable', why: `the policy set ${policyVersion} was not kept` });
  machine.to('GOVERNING');
  const { decided, mayRun } = decideAgain(engine, place, read.runnable, was.decided);
  if (mayRun && hasRun(place.record, callId)) machine.to('EXECUTING');
  machine.to('OBSERVING');
  return { ...toToolCallResult(was.result), decided };
}

/** True when a readable call may still have been refused by its content, or because nothing matched its arguments. */
function isUndecidable(call: RunnableCall): boolean {
  if (call.tool.resolve) return true;
  try {
    rejectSecretInput(call);
    return false;
  } catch {
    return true;
  }
}

function decideAgain(
  engine: PolicyEngine,
  { head, run }: Place,
  call: RunnableCall,
  was: NonNullable<RecordedCall['decided']>,
) {
  const { tool } = call;
  const { threadId, chatKey } = head;
  const agent = { id: head.agent, class: was.action.agentClass };
  const scope = { actor: run.actor, agent, threadId, chatKey, turnId: run.turnId };
  const frozen = (call.steps ?? []).map((step, at) => ({
    ...step,
    call: { ...step.call, resolved: was.steps?.[at]?.action.resolved ?? null },
  }));
  const steps = frozen.flatMap((step, at) => {
    const known = was.steps?.[at];
    return known ? [{ proposal: decideOne(engine, scope, step.call, known, call.actionId), if: step.if }] : [];
  });
  const whole = { ...call, resolved: was.action.resolved ?? null, ...(call.steps ? { steps: frozen } : {}) };
  const proposal = call.steps
    ? createPlanProposal(scope, whole, steps, null)
    : decideOne(engine, scope, whole, was, null);
  const { effect } = proposal.decision;
  const isLet = effect === 'run' || (effect === 'confirm' && was.taint?.pressed !== undefined);
  const mayRun = isLet && coversRole(run.actor.role, tool.role);
  const taints = was.steps?.map(({ taint }) => taint);
  return { decided: toRecordedDecision(proposal, was.taint, taints), mayRun };
}

function decideOne(
  engine: PolicyEngine,
  scope: Parameters<typeof createProposedAction>[0],
  call: RunnableCall,
  was: Pick<NonNullable<RecordedCall['decided']>, 'action' | 'question' | 'taint'>,
  parentActionId: string | null,
) {
  const { tool, input, resolved = null } = call;
  const { foreign = null, hasPrivate = false, ...origin } = was.taint ?? {};
  // What a tool declares about itself is taken from the record.
  const { egress, touchesPrivate } = was.action.assessment;
  const assessment = {
    ...decideRisk(tool, input, { ...origin, foreign, hasPrivate }, resolved),
    egress,
    touchesPrivate,
  };
  const action = createProposedAction(scope, call, assessment, parentActionId);
  const { context } = was.question as unknown as PolicyQuestion; // the record holds a question as JSON
  const place = { channel: context.channel, inGroup: context.inGroup, leastRole: tool.role };
  const { grantId: _, ...proposal } = decideAction(engine, action, {
    facts: factsOf(context),
    limits: limitsOf(context),
    place,
  });
  return proposal;
}

/** Builds facts from the record. The rest of a budget is given as a limit without any usage. */
function factsOf({ at, frozen, breakGlass, granted, otherApprovers }: PolicyQuestion['context']): GovernanceFacts {
  const grantId = granted ? 'as recorded' : null;
  return { at, frozen, breakGlass, grantId, operators: otherApprovers, admins: 0, calls: 0, tokens: 0, costUsd: 0 };
}

function limitsOf({ budget }: PolicyQuestion['context']): BudgetLimits {
  return { callsPerHour: budget.callsLeft, tokensPerDay: budget.tokensLeft, costUsdPerDay: budget.costUsdLeft };
}

/** True when the recorded call ran in this turn, neither refused at its start nor done by an earlier run. */
function hasRun({ phases, calls }: ExecutionTurn, callId: string): boolean {
  const place = calls.findIndex((call) => call.callId === callId);
  return splitPhasesByCall(phases)[place]?.includes('EXECUTING') ?? false;
}
