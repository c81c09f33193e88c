import type { Approval } from '@signalbox/contracts/governance/approval';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { Proposal } from '@signalbox/store/governance/approvals';
import type { AppError } from '@signalbox/contracts/errors';
import type { ToolCallResult } from './calls/call.ts';
import { hashAction } from './proposal.ts';

/** Maximum length of a text in an audit event; longer texts are recorded as hashes, and the ledger has them. */
const KEPT_LENGTH = 4_000;

/** The audit events before an effect: who requested exactly what, and which rule allowed it. `pressed`: the confirmed offer. */
export function createDecidedEvents(proposal: Proposal, pressed: string | null): readonly AuditEvent[] {
  const event = createProposalEvent(proposal, 'action.decided');
  const decided = pressed === null ? event : { ...event, data: { ...event.data, pressed } };
  return [decided, { ...decided, kind: 'action.started' }];
}

export function createDeniedEvent(proposal: Proposal, code: string): AuditEvent {
  const event = createProposalEvent(proposal, 'action.denied');
  return { ...event, data: { ...event.data, code } };
}

export function createRefusedEvent(proposal: Proposal, { code, data }: AppError): AuditEvent {
  const event = createProposalEvent(proposal, 'action.refused');
  return { ...event, data: { ...event.data, ...data, code } };
}

/** Creates the audit event of a proposal, with policy's question and answer; other events extend it. */
export function createProposalEvent({ action, decision }: Proposal, kind: AuditEvent['kind']): AuditEvent {
  const { requester, assessment } = action;
  return {
    kind,
    actor: requester.userKey,
    threadId: action.threadId,
    turnId: action.turnId,
    actionId: action.actionId,
    approvalId: null,
    policyVersion: decision.policyVersion,
    data: {
      tool: action.tool,
      toolVersion: action.toolVersion,
      arguments: kept(action.arguments),
      resources: action.resources,
      environment: action.environment,
      hash: hashAction(action),
      parent: action.parentActionId,
      role: requester.role,
      agent: action.agent,
      risk: assessment.risk,
      reasons: assessment.reasons,
      tainted: assessment.tainted,
      effect: decision.effect,
      rule: decision.rule,
      sentence: decision.sentence,
    },
  };
}

export function createSettledEvent(
  actionId: string,
  proposal: Proposal | null,
  status: 'done' | 'failed' | 'unknown',
  outcome: ToolCallResult,
): AuditEvent {
  return {
    kind: status === 'unknown' ? 'action.unknown' : 'action.settled',
    actor: 'system',
    threadId: proposal?.action.threadId ?? null,
    turnId: proposal?.action.turnId ?? null,
    actionId,
    approvalId: null,
    policyVersion: proposal?.decision.policyVersion ?? null,
    data: {
      status,
      code: outcome.code,
      say: outcome.say.slice(0, KEPT_LENGTH),
      resultHash: hashCanonical(outcome.result === undefined ? null : JSON.parse(JSON.stringify(outcome.result))),
    },
  };
}

function kept(args: Proposal['action']['arguments']): Record<string, string | AuditEvent['data'][string]> {
  const entries = Object.entries(args).map(([name, value]): [string, AuditEvent['data'][string]] => {
    const text = typeof value === 'string' ? value : null;
    return [name, text !== null && text.length > KEPT_LENGTH ? `${text.slice(0, KEPT_LENGTH)}…` : value];
  });
  return Object.fromEntries(entries);
}

export function createApprovalEvent(
  approval: Pick<Approval, 'approvalId' | 'actionId' | 'threadId' | 'turnId' | 'policy' | 'rule' | 'hash'>,
  kind: AuditEvent['kind'],
  actor: string,
  data: AuditEvent['data'],
): AuditEvent {
  const { approvalId, actionId, threadId, turnId, policy, rule, hash } = approval;
  return { kind, actor, approvalId, actionId, threadId, turnId, policyVersion: policy, data: { rule, hash, ...data } };
}
