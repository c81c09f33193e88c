import { cardTitle, escapePerson } from '@signalbox/safety/cards/approval-card';
import type { Approval, ApprovalCard } from '@signalbox/contracts/governance/approval';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { plainName } from '@signalbox/contracts/plain-name';
import { canonicalHash } from '@signalbox/safety/cards/canonical';
import { changesOf, type Resolved } from '@signalbox/safety/cards/resolved';
import { renderExact } from '@signalbox/safety/cards/canonical-card';
import {
  approvalEvent,
  claimApproved,
  endApproval,
  findApproval,
  findDecision,
  findAction,
  listVotes,
  noteDecision,
  noteResult,
  recordApproval,
  type LedgerRow,
  type Proposal,
} from '@signalbox/store/governance/approvals';
import { showCards } from '@signalbox/store/governance/approval-cards';
import { governanceFacts } from '@signalbox/store/governance/governance-facts';
import { personsOf } from '@signalbox/store/people/identities';
import { isLaneHeld } from '@signalbox/store/conversation/lane';
import { withLock } from '@signalbox/store/deploy/locks';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { isShortName } from '@signalbox/contracts/governance/outside';
import { sayList } from '@signalbox/messages/list';
import { explain, say, sayError, sayReason } from '@signalbox/messages/say';
import { failure, type ToolCallResult } from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import type { CallScope, Runnable } from './calls/call.ts';
import type { Tools } from './calls/tools.ts';
import { proposalEvent } from './events.ts';
import { governAction, placeOf, runClaimed } from './action-run.ts';
import type { GovernanceDeps, Execution } from './deps.ts';
import { actionHash, decide, recordedDecision, runnableOf } from './proposal.ts';
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
  const approval = await findApproval(parts.pool, envelope.approvalId);
  const known = await findAction(parts.pool, envelope.actionId);
  if (!approval || !known?.proposal) return { say: sayError('BUTTON_EXPIRED', {}), result: null };
  const what = cardTitle(approval.card);
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
      const result = await runApproved(parts, scope, approval, { ...known, proposal: known.proposal });
      await receipt(parts, scope, approval.approvalId, result);
      const votes = await listVotes(parts.pool, approval.approvalId);
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
  approval: Approval,
  known: LedgerRow & { readonly proposal: Proposal },
): Promise<ToolCallResult> {
  const { proposal } = known;
  const call = runnableOf(parts.tools, proposal);
  if (!call) return withoutTool(parts, approval, known);
  const execution = { parts, scope, call };
  const lock = call.tool.lock(call.input);
  const run = async (): Promise<ToolCallResult> => {
    const preview = await parts.tools.preview(call);
    const changed = await changedMeaning(parts, scope, call, call.resolved ?? null);
    const consumed = await withTransaction(parts.pool, (db) =>
      consume(db, execution, { approvalId: approval.approvalId, preview, changed, stored: proposal }),
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
  return lock === null ? run() : withLock(parts.lockPool, lock, run);
}

/** The worker has another tool than the one that was approved. What an earlier worker began with that one cannot be looked up. */
async function withoutTool(
  parts: GovernanceDeps,
  approval: Approval,
  { status, result, proposal }: LedgerRow & { readonly proposal: Proposal },
): Promise<ToolCallResult> {
  const { actionId, tool } = proposal.action;
  const decided = await findDecision(parts.pool, approval.approvalId);
  const known = decided ? { decided } : {};
  if (status === 'started') return { ...(await settleUnknown(parts, { actionId, name: tool })), ...known };
  if (approval.status === 'consumed') return { ...readStoredResult(result, tool), ...known };
  return voided(parts, approval, approval.reason ?? say('governance.toolChanged'));
}

function decidedIn({ decided }: { readonly decided?: RecordedDecision }): { readonly decided?: RecordedDecision } {
  return decided ? { decided } : {};
}

type Consumed =
  | { readonly kind: 'consumed'; readonly decided?: RecordedDecision }
  | { readonly kind: 'void'; readonly reason: string; readonly decided?: RecordedDecision }
  | {
      readonly kind: 'earlier';
      readonly status: string;
      readonly result: unknown;
      readonly decided?: RecordedDecision;
    };

/** Everything that an approval stands on is looked at again, in the transaction that uses it up and begins the action. */
async function consume(
  db: Queryable,
  { parts, scope, call }: Execution,
  given: {
    readonly approvalId: string;
    readonly preview: Awaited<ReturnType<Tools['preview']>>;
    readonly changed: string | null;
    readonly stored: Proposal;
  },
): Promise<Consumed> {
  const { approvalId, preview, changed, stored } = given;
  if (!(await isLaneHeld(db, scope.lane))) throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
  const approval = await findApproval(db, approvalId, true);
  const row = await findAction(db, call.actionId);
  if (!approval || !row) return { kind: 'void', reason: say('governance.isGone') };
  // An earlier run of the turn came as far as this, and died: what it decided stands, and is told again.
  const before = await findDecision(db, approvalId);
  const decidedBefore = before ? { decided: before } : {};
  if (approval.status === 'consumed')
    return { kind: 'earlier', status: row.status, result: row.result, ...decidedBefore };
  if (approval.status !== 'approved') {
    const { status } = approval;
    const reason = (status === 'void' && approval.reason) || say('governance.isStatus', { status });
    return { kind: 'void', reason, ...decidedBefore };
  }
  const { action } = stored;
  const isSame =
    actionHash(action) === approval.hash &&
    renderExact(action) === approval.card.exact &&
    row.hash === approval.hash &&
    canonicalHash(row.arguments) === canonicalHash(action.arguments) &&
    action.requester.userKey === scope.lane.userKey &&
    row.userKey === scope.lane.userKey &&
    scope.chatKey === approval.chatKey;
  if (!isSame) return { kind: 'void', reason: say('governance.otherAction') };
  const votes = await listVotes(db, approvalId);
  const [requester] = await personsOf(db, [approval.userKey]);
  const authors = await personsOf(db, approval.authors);
  const counted = votes.filter(({ userKey }) =>
    approval.byRequester ? userKey === requester : approval.solo || !authors.includes(userKey),
  );
  if (counted.length < approval.needed) return { kind: 'void', reason: say('governance.tooFew') };
  if (!roleCovers(scope.actor.role, call.tool.role)) return { kind: 'void', reason: say('governance.mayNotAnyMore') };
  const difference = changed ?? changedSince(approval.card, preview);
  if (difference) return { kind: 'void', reason: difference };
  const facts = await governanceFacts(db, action, null);
  const place = { ...placeOf(scope, call.tool), inGroup: stored.question.context.inGroup };
  const asker = { ...action, requester: { ...action.requester, role: scope.actor.role } };
  const now = decide(parts.policy(), asker, { facts: { ...facts, grantId: null }, limits: parts.limits, place });
  const { decision } = now;
  const decided = recordedDecision(now, null);
  if (decision.effect === 'deny')
    return { kind: 'void', reason: sayReason(decision.sentence).replace(/[.。]$/, ''), decided };
  const takes = decision.approval;
  if (
    decision.effect !== (approval.byRequester ? 'confirm' : 'ask') ||
    !takes ||
    decision.rule !== approval.rule ||
    takes.approvals !== approval.needed ||
    takes.role !== approval.role
  )
    return { kind: 'void', reason: say('governance.otherRule', { rule: decision.rule }), decided };
  if (!(await claimApproved(db, approvalId, scope.lane, decided)))
    return { kind: 'void', reason: say('governance.begunElsewhere') };
  await recordApproval(
    db,
    approvalEvent(approval, 'approval.consumed', scope.lane.userKey, { approvers: votes.map((vote) => vote.userKey) }),
    proposalEvent({ ...stored, decision }, 'action.started'),
  );
  return { kind: 'consumed', decided };
}

/** Why what was shown is not what would happen now, or null: people approve what they read. */
function changedSince(card: ApprovalCard, preview: Awaited<ReturnType<Tools['preview']>>): string | null {
  if (preview instanceof AppError) return explain(preview).replace(/\.$/, '');
  if (preview === null || (preview.what === card.what && preview.change === card.change)) return null;
  return say('governance.thingsChanged');
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
  await withTransaction(parts.pool, async (db) => {
    if (!(await endApproval(db, approval.approvalId, { status: 'void', by: null, reason }))) return;
    if (decided) await noteDecision(db, approval.approvalId, decided);
    await recordApproval(db, approvalEvent(approval, 'approval.voided', 'system', { reason }));
  });
  return failure(new AppError('APPROVAL_VOID', { id: approval.approvalId, reason }));
}

/** The card becomes the receipt of what came of it, wherever it stands. */
async function receipt(
  parts: GovernanceDeps,
  scope: CallScope,
  approvalId: string,
  result: ToolCallResult,
): Promise<void> {
  const chats = await withTransaction(parts.pool, async (db) => {
    await noteResult(db, approvalId, result.say.split('\n')[0] ?? '');
    return showCards(db, approvalId);
  });
  for (const chatKey of chats) await parts.notify(chatKey, scope.traceId);
}

/** A changed wish is a new action, decided from the start; the old one stays as it was. */
async function change(parts: GovernanceDeps, scope: CallScope, approval: Approval, stored: Proposal): Promise<Resumed> {
  const found = parts.tools.find(stored.action.tool, [stored.action.group]);
  const args = { ...stored.action.arguments, ...approval.change };
  const parsed = found?.tool.input.safeParse(args);
  const what = cardTitle(approval.card);
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
