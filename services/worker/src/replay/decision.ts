import type { PolicyEngine, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import type { ExecutionTurn, RecordedCall, RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import { coversRole } from '@signalbox/contracts/governance/roles';
import type { GovernanceFacts } from '@signalbox/store/governance/governance-facts';
import type { AgentRun } from '../agents/agent.ts';
import { decideRisk } from '@signalbox/governance/provenance/risk';
import { parseToolCall } from '../tools/call-reading.ts';
import { splitPhasesByCall, type PhaseMachine } from '../loop/fsm.ts';
import type { BudgetLimits } from '@signalbox/governance/deps';
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
  const read = parseToolCall(parts.registry, { actionId: callId, tool, args, groups }, place.head.agent);
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
  const { tool, input } = call;
  const resolved = was.action.resolved ?? null;
  const { foreign = null, hasPrivate = false, ...origin } = was.taint ?? {};
  const taint = { ...origin, foreign, hasPrivate };
  const agent = { id: head.agent, class: was.action.agentClass };
  const { threadId, chatKey } = head;
  const scope = { actor: run.actor, agent, threadId, chatKey, turnId: run.turnId };
  // What a tool declares about itself is taken from the record.
  const { egress, touchesPrivate } = was.action.assessment;
  const action = createProposedAction(
    scope,
    { ...call, resolved },
    { ...decideRisk(tool, input, taint, resolved), egress, touchesPrivate },
  );
  const { context } = was.question as unknown as PolicyQuestion; // the record holds a question as JSON
  const place = { channel: context.channel, inGroup: context.inGroup, leastRole: tool.role };
  const proposal = decideAction(engine, action, { facts: factsOf(context), limits: limitsOf(context), place });
  const { effect } = proposal.decision;
  const isLet = effect === 'run' || (effect === 'confirm' && was.taint?.pressed !== undefined);
  const mayRun = isLet && coversRole(run.actor.role, tool.role);
  return { decided: toRecordedDecision(proposal, was.taint), mayRun };
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
