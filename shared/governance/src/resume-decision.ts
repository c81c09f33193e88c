import { renderCardTitle, escapePerson } from '@signalbox/safety/cards/approval-card';
import type { Approval } from '@signalbox/contracts/governance/approval';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { plainName } from '@signalbox/contracts/plain-name';
import { changesOf, type Resolved } from '@signalbox/safety/cards/resolved';
import { findCase, type ApprovalCase, type LedgerRow, type Proposal } from '@signalbox/store/governance/approvals';
import { governanceFacts } from '@signalbox/store/governance/governance-facts';
import { withLock } from '@signalbox/store/deploy/locks';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { isShortName } from '@signalbox/contracts/governance/outside';
import { sayList } from '@signalbox/messages/list';
import { explain, say, sayError } from '@signalbox/messages/say';
import { failure, type ToolCallResult } from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import type { CallScope, Runnable } from './calls/call.ts';
import { Approvals } from './approvals.ts';
import { governAction, placeOf, runClaimed } from './action-run.ts';
import type { GovernanceDeps, Execution } from './deps.ts';
import { decide, runnableOf } from './proposal.ts';
import { earlierResult, settleUnknown } from './settling.ts';

export type DecisionEnvelope = Extract<InboundEnvelope, { kind: 'decision' }>;

/** What the requester's conversation hears of a decision. */
export interface Resumed {
  readonly say: string;
  readonly result: ToolCallResult | null;
  /** What policy said when the approval was used up, in this run or one before, or about the changed wish. */
  readonly decided?: RecordedDecision;
  /** It says words of somebody else, which no model reads before that is noted. */
  readonly isOutside?: boolean;
}

/**
 * Goes on with an action that somebody decided about: approved, it is decided once more under the rules of now, consumed exactly once
 * and run; modified, its new arguments take the path from the start. Doing it again after a crash has no second effect.
 */
export async function resumeDecision(
  parts: GovernanceDeps,
  scope: CallScope,
  envelope: DecisionEnvelope,
): Promise<Resumed> {
  const found = await findCase(parts.pool, envelope.approvalId);
  const known = found?.action;
  if (!found || !known?.proposal) return { say: sayError('BUTTON_EXPIRED', {}), result: null };
  const { approval, votes } = found;
  const what = renderCardTitle(approval.card);
  switch (envelope.outcome) {
    case 'rejected': {
      const { decidedBy, reason } = approval;
      const person = escapePerson(decidedBy ?? say('governance.somebody'));
      const because = { hasReason: Boolean(reason), reason: reason ?? '' };
      // The reason is the words of whoever decided, and so may their name be.
      return { say: say('governance.rejected', { person, what, ...because }), result: null, isOutside: true };
    }
    case 'expired':
      return { say: say('governance.expired', { what }), result: null };
    case 'modified':
      return change(parts, scope, approval, known.proposal);
    case 'approved': {
      const result = await runApproved(parts, scope, found, { ...known, proposal: known.proposal });
      const line = result.say.split('\n')[0] ?? '';
      const chats = await withTransaction(parts.pool, (db) => new Approvals(db).noteReceipt(approval.approvalId, line));
      for (const chatKey of chats) await parts.notify(chatKey, scope.traceId);
      const by = sayList(votes.map((vote) => plainName(vote.name)));
      const approved = say('governance.approved', { isConfirmed: approval.byRequester, by });
      const isOutside = result.untrusted === true || !votes.every((vote) => isShortName(plainName(vote.name)));
      return { say: result.ok ? `${approved} ${result.say}` : result.say, result, isOutside, ...decidedIn(result) };
    }
  }
}

async function runApproved(
  parts: GovernanceDeps,
  scope: CallScope,
  { approval, used }: ApprovalCase,
  known: LedgerRow & { readonly proposal: Proposal },
): Promise<ToolCallResult> {
  const { proposal } = known;
  const call = runnableOf(parts.tools, proposal);
  if (!call) return withoutTool(parts, { approval, used }, known);
  const execution = { parts, scope, call };
  const run = async (): Promise<ToolCallResult> => {
    const preview = await parts.tools.preview(call);
    const difference = await changedMeaning(parts, scope, call, call.resolved ?? null);
    const { lane, chatKey } = scope;
    const requester = { role: scope.actor.role, leastRole: call.tool.role };
    const use = { lane, chatKey, ...requester, proposal, preview, difference };
    const consumed = await withTransaction(parts.pool, (db) =>
      new Approvals(db).consume(approval.approvalId, {
        ...use,
        decide: (locked) => decideAgain(locked, execution, proposal),
      }),
    );
    // What an earlier run of the turn decided stands.
    if (consumed.kind !== 'void' || consumed.decided) scope.enter('GOVERNING');
    switch (consumed.kind) {
      case 'void':
        return { ...(await voided(parts, approval, consumed.reason, consumed.decided)), ...decidedIn(consumed) };
      case 'earlier': {
        const earlier = await earlierResult(execution, consumed);
        return { ...(earlier ?? (await runClaimed(execution, proposal))), ...decidedIn(consumed) };
      }
      case 'consumed':
        return { ...(await runClaimed(execution, proposal)), ...decidedIn(consumed) };
    }
  };
  const lock = call.tool.lock(call.input);
  return lock === null ? run() : withLock(parts.lockPool, lock, run);
}

/** Asks policy about a frozen action under the rules, the role and the facts of now; a grant does not count. */
async function decideAgain(db: Queryable, { parts, scope, call }: Execution, stored: Proposal): Promise<Proposal> {
  const { action } = stored;
  const facts = await governanceFacts(db, action, null);
  const place = { ...placeOf(scope, call.tool), inGroup: stored.question.context.inGroup };
  const asker = { ...action, requester: { ...action.requester, role: scope.actor.role } };
  return decide(parts.policy(), asker, { facts: { ...facts, grantId: null }, limits: parts.limits, place });
}

/** The worker has another tool than the one that was approved. What an earlier worker began with that one cannot be looked up. */
async function withoutTool(
  parts: GovernanceDeps,
  { approval, used }: Pick<ApprovalCase, 'approval' | 'used'>,
  { status, result, proposal }: LedgerRow & { readonly proposal: Proposal },
): Promise<ToolCallResult> {
  const { actionId, tool } = proposal.action;
  const known = used ? { decided: used } : {};
  if (status === 'started') return { ...(await settleUnknown(parts, { actionId, name: tool })), ...known };
  if (approval.status === 'consumed') return { ...readStoredResult(result, tool), ...known };
  return voided(parts, approval, approval.reason ?? say('governance.toolChanged'));
}

function decidedIn({ decided }: { readonly decided?: RecordedDecision }): { readonly decided?: RecordedDecision } {
  return decided ? { decided } : {};
}

/** Why an approved action would no longer do what was approved; null when all that its arguments stand for is as it was. */
async function changedMeaning(
  parts: GovernanceDeps,
  scope: CallScope,
  call: Runnable,
  approved: Resolved | null,
): Promise<string | null> {
  if (!call.tool.resolve) return null;
  try {
    const now = await parts.tools.resolve(scope, call, approved);
    const changes = changesOf(approved ?? {}, now ?? {});
    return changes.length === 0 ? null : say('governance.meansOther', { changes: changes.join('; ') }).slice(0, 900);
  } catch (error) {
    if (error instanceof AppError) return explain(error).replace(/\.$/, '');
    throw error;
  }
}

async function voided(
  parts: GovernanceDeps,
  approval: Approval,
  reason: string,
  decided: RecordedDecision | null = null,
): Promise<ToolCallResult> {
  await withTransaction(parts.pool, (db) => new Approvals(db).voidApproved(approval, reason, decided));
  return failure(new AppError('APPROVAL_VOID', { id: approval.approvalId, reason }));
}

/** A changed wish is a new action, decided from the start; the old one stays as it was. */
async function change(parts: GovernanceDeps, scope: CallScope, approval: Approval, stored: Proposal): Promise<Resumed> {
  const found = parts.tools.find(stored.action.tool, [stored.action.group]);
  const args = { ...stored.action.arguments, ...approval.change };
  const parsed = found?.tool.input.safeParse(args);
  const what = renderCardTitle(approval.card);
  if (!found || !parsed?.success) {
    const detail = parsed?.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') ?? '';
    const problem = detail || say('governance.toolGone');
    return { say: say('governance.changeDoesNotFit', { what, problem }), result: null, isOutside: true };
  }
  const actionId = `${stored.action.actionId}_m`;
  const runnable: Runnable = { actionId, name: stored.action.tool, input: parsed.data, ...found };
  const result = await governAction(parts, scope, runnable, stored.action.actionId);
  const isOutside = result.untrusted === true;
  return { say: `${say('governance.changed', { what })} ${result.say}`, result, isOutside, ...decidedIn(result) };
}
