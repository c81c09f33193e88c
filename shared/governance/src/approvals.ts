import type { Approval, ApprovalCommand, ApprovalCard } from '@signalbox/contracts/governance/approval';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import { listChangeableValues } from '@signalbox/contracts/governance/plan';
import { newId } from '@signalbox/contracts/ids';
import { explainError, say, sayError, sayReason } from '@signalbox/messages/say';
import { describePerson, describeVerdict, toReaderCard } from '@signalbox/safety/cards/approval-card';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { renderExactAction } from '@signalbox/safety/cards/canonical-card';
import { appendAudit } from '@signalbox/store/audit/audit';
import { isLaneHeld, type Lane } from '@signalbox/store/conversation/lane';
import { wakeLane } from '@signalbox/store/conversation/wake-lane';
import { updateCards } from '@signalbox/store/governance/approval-cards';
import {
  addVote,
  claimApproved,
  endApproval,
  findApprovalDetails,
  listVotes,
  noteDecision,
  noteOutcomeLine,
  type ApprovalDetails,
  type LostPoint,
  type Proposal,
} from '@signalbox/store/governance/approvals';
import { putGrant } from '@signalbox/store/governance/grants';
import { findPerson } from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import type { ActionPreview } from './calls/tool.ts';
import { createApprovalEvent, createProposalEvent } from './events.ts';
import { sayLostPoint } from './lost-point.ts';
import { askPermission } from './permissions/permission.ts';
import { areStepsBound } from './plans/resolve-steps.ts';
import { hashAction, toRecordedDecision } from './proposal.ts';

export interface Decider {
  readonly userKey: string;
  readonly name: string;
  readonly role: Role;
}

export interface PressResult {
  readonly toast: string;
  readonly chats: readonly string[];
  readonly wake: { readonly userKey: string; readonly traceId: string } | null;
  /** The text that a pressed button still needs, and the request that the text is for. */
  readonly prompt: {
    readonly verb: 'reject' | 'modify' | 'ask';
    readonly approval: Approval;
    /** The current arguments, which `modify` changes. */
    readonly arguments: Readonly<Record<string, unknown>>;
  } | null;
}

export interface ButtonPress extends Omit<ApprovalCommand, 'verb'> {
  readonly verb: Exclude<ApprovalCommand['verb'], 'show'>;
  readonly by: Decider;
  readonly change?: Readonly<Record<string, unknown>>;
}

/** The current facts about an action that is about to use an approval. */
export interface ApprovalUse {
  readonly lane: Lane;
  readonly chatKey: string;
  /** The requester's current role, and the least role of the tool. */
  readonly role: Role;
  readonly leastRole: Role;
  readonly proposal: Proposal;
  readonly preview: ActionPreview | null | AppError;
  /** How the meaning of the arguments differs from the approved meaning; null when both are equal. */
  readonly difference: string | null;
  decide(db: Queryable): Promise<Proposal>;
}

/** The result of using an approval. `decided`: policy's decision at that time. */
export type ConsumeResult = { readonly decided?: RecordedDecision } & (
  | { readonly kind: 'consumed' }
  | { readonly kind: 'void'; readonly reason: string }
  | { readonly kind: 'earlier'; readonly status: string; readonly result: unknown }
);

const GRANT_MS = 30 * 60_000;
const GRANT_USES = 3;

/** The length of a toast that Telegram shows. */
const MAX_TOAST_LENGTH = 200;

/**
 * The states of approvals, in the caller's transaction:
 *
 *   pending ─┬─ enough votes ─▶ approved ─┬─▶ consumed, in the transaction that starts the action
 *            │                            └─▶ void: the action would differ from the approved one
 *            ├─ rejected · modified (a new action replaces it) · void (withdrawn, or its chat is unreachable)
 *            └─ the time limit passed ─▶ expired
 *
 * A vote is the approval of one person, with whatever account they press. Policy says whether this person may vote, and so keeps requester
 * and approver apart; `needed` is the required number of votes. A press reads the locked row and current facts, and a second press changes
 * nothing. Nothing runs here: the requester's lane continues with the frozen action, and consumes the approval.
 */
export class Approvals {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Applies a press on a request, if policy permits it. Refusals are recorded. */
  async decide(policy: PolicyEngine, press: ButtonPress): Promise<PressResult> {
    const found = await findApprovalDetails(this.#db, press.approvalId, true);
    if (!found) return toast(sayError('BUTTON_EXPIRED', {}));
    const { approval, requester, action } = found;
    // Votes and authors are people: a second account does not count twice.
    const { person, isProgram } = await findPerson(this.#db, press.by.userKey);
    const refuse = async (why: string, rule: string, shown = why): Promise<PressResult> => {
      const data = { verb: press.verb, why, refusedBy: rule };
      await this.#record(approval, 'approval.click_refused', press.by.userKey, data);
      return toast(shown);
    };
    if (approval.status !== 'pending') {
      const came = describeVerdict(approval, await listVotes(this.#db, approval.approvalId)).slice(0, MAX_TOAST_LENGTH);
      return refuse(sayError('APPROVAL_GONE', { status: approval.status }), 'not-pending', came);
    }
    if (isProgram) return refuse(say('card.only-people-decide'), 'no-program');
    // The next check would void this request, so nobody can decide it.
    if (found.isChatParked) return this.voidPointless(approval, 'unheard');
    if (found.isOver) return this.expire(approval);
    if (press.verb === 'withdraw')
      return person === requester
        ? this.#withdraw(approval, press.by.userKey, press.by.name)
        : refuse(say('card.only-requester-withdraws'), 'withdraw-own');
    const proposal = action?.proposal;
    if (!proposal) return refuse(sayError('BUTTON_EXPIRED', {}), 'no-proposal');
    if (approval.byRequester && (person !== requester || press.verb !== 'approve'))
      return refuse(say('card.only-requester-confirms'), 'confirm-own');
    const permission = await askPermission(this.#db, policy, found, proposal, { userKey: person, role: press.by.role });
    if (!permission.allowed) return refuse(sayReason(permission.sentence), permission.rule);
    const { by, verb, reason, change } = press;
    const voter = { ...by, person, permittedBy: permission.rule };
    if (verb === 'approve' || verb === 'grant') return this.#approve(found, voter, verb === 'grant');
    if (verb === 'reject' && reason !== undefined) return this.#reject(approval, voter, reason);
    if (verb === 'modify' && change !== undefined) return this.#modify(approval, voter, change);
    const prompt = { verb, approval, arguments: listChangeableValues(proposal.action.arguments) };
    return { ...toast(''), prompt };
  }

  /** Withdraws a pending request on the words of its requester; null when it is another person's or does not wait. */
  async withdraw(approvalId: string, by: Decider): Promise<PressResult | null> {
    const found = await findApprovalDetails(this.#db, approvalId, true);
    const { person } = await findPerson(this.#db, by.userKey);
    if (found?.approval.status !== 'pending' || person !== found.requester) return null;
    return this.#withdraw(found.approval, by.userKey, null);
  }

  /** Ends a request whose time limit passed. */
  expire(approval: Approval): Promise<PressResult> {
    return this.#end(approval, {
      status: 'expired',
      by: null,
      reason: say('card.reason-expired'),
      event: { actor: 'system', data: {} },
      words: sayError('APPROVAL_GONE', { status: 'expired' }),
    });
  }

  /** Ends a request that nobody can usefully decide about any more; `unheard`: nobody could read the result in its chat. */
  voidPointless(approval: Approval, why: LostPoint | 'unheard'): Promise<PressResult> {
    const reason = sayLostPoint(why);
    return this.#end(approval, {
      status: 'void',
      by: null,
      reason,
      event: { actor: 'system', data: { reason } },
      words: sayError('APPROVAL_GONE', { status: 'void' }),
    });
  }

  /** Consumes an approval and starts its action, if nothing has changed since. Runs in a held lane; throws LANE_LOST. */
  async consume(approvalId: string, use: ApprovalUse): Promise<ConsumeResult> {
    const { lane, proposal } = use;
    if (!(await isLaneHeld(this.#db, lane))) throw new AppError('LANE_LOST', { userKey: lane.userKey });
    const found = await findApprovalDetails(this.#db, approvalId, true);
    if (!found?.action) return { kind: 'void', reason: say('governance.isGone') };
    const { approval, action, used, votes } = found;
    const before = used ? { decided: used } : {};
    if (approval.status === 'consumed')
      return { kind: 'earlier', status: action.status, result: action.result, ...before };
    if (approval.status !== 'approved') {
      const { status } = approval;
      const reason = (status === 'void' && approval.reason) || say('governance.isStatus', { status });
      return { kind: 'void', reason, ...before };
    }
    const stale = findDifference(found, use);
    if (stale !== null) return { kind: 'void', reason: stale };
    const now = await use.decide(this.#db);
    const decided = toRecordedDecision(now, null);
    const otherwise = findOtherRule(approval, now);
    if (otherwise !== null) return { kind: 'void', reason: otherwise, decided };
    if (!(await claimApproved(this.#db, approvalId, lane, decided)))
      return { kind: 'void', reason: say('governance.begunElsewhere') };
    const approvers = votes.map((vote) => vote.userKey);
    await appendAudit(this.#db, [
      createApprovalEvent(approval, 'approval.consumed', lane.userKey, { approvers }),
      createProposalEvent({ ...proposal, decision: now.decision }, 'action.started'),
    ]);
    return { kind: 'consumed', decided };
  }

  /** Voids an approved request. `decided`: policy's decision about it. */
  async voidApproved(approval: Approval, reason: string, decided: RecordedDecision | null): Promise<void> {
    if (!(await endApproval(this.#db, approval.approvalId, { status: 'void', by: null, reason }))) return;
    if (decided) await noteDecision(this.#db, approval.approvalId, decided);
    await this.#record(approval, 'approval.voided', 'system', { reason });
  }

  /** Replaces every approval card by a one-line receipt, and returns the chats to notify. */
  async noteReceipt(approvalId: string, line: string): Promise<readonly string[]> {
    await noteOutcomeLine(this.#db, approvalId, line);
    return updateCards(this.#db, approvalId);
  }

  async #approve(
    { approval, action, votes: before }: ApprovalDetails,
    by: Voter,
    isGrant: boolean,
  ): Promise<PressResult> {
    const { userKey, name, role, person, permittedBy } = by;
    const { approvalId, needed } = approval;
    if (!(await addVote(this.#db, approvalId, { userKey: person, name, role })))
      return toast(say('card.approved-already', { given: before.length, needed }));
    const votes = [...before, { userKey: person, name, role }];
    const vote = votes.length;
    await this.#record(approval, 'approval.voted', userKey, { by: userKey, name, role, permittedBy, vote, needed });
    if (isGrant && needed === 1 && action?.hash === approval.hash) await this.#grant(approval, action.proposal, by);
    if (vote < needed) {
      const chats = await updateCards(this.#db, approvalId);
      return { ...toast(say('card.counted', { given: vote, needed })), chats };
    }
    return this.#end(approval, {
      status: 'approved',
      by: votes.map((one) => one.name).join(', '),
      reason: null,
      event: { actor: userKey, data: { approvers: votes.map((one) => one.userKey) } },
      words: say('card.runs-now', { isConfirmed: approval.byRequester }),
    });
  }

  #reject(approval: Approval, by: Voter, reason: string): Promise<PressResult> {
    const { userKey, name, role, permittedBy } = by;
    return this.#end(approval, {
      status: 'rejected',
      by: describePerson(by),
      reason,
      event: { actor: userKey, data: { name, role, reason, permittedBy } },
      words: say('card.now-rejected'),
    });
  }

  #modify(approval: Approval, by: Voter, change: NonNullable<ButtonPress['change']>): Promise<PressResult> {
    const { userKey, name, role, person, permittedBy } = by;
    return this.#end(approval, {
      status: 'modified',
      by: person,
      reason: name,
      change,
      event: { actor: userKey, data: { name, role, permittedBy, change: JSON.stringify(change) } },
      words: say('card.now-modified'),
    });
  }

  /** `name`: the decider as stored, which the worker may not write. */
  #withdraw(approval: Approval, actor: string, name: string | null): Promise<PressResult> {
    return this.#end(approval, {
      status: 'void',
      by: name,
      reason: say('card.reason-withdrawn'),
      event: { actor, data: { reason: 'withdrawn' } },
      words: say('card.withdrawn'),
    });
  }

  /** Ends a request: row, event, the requester's lane and all approval cards. A voided request does not wake the lane. */
  async #end(approval: Approval, { status, event, words, ...end }: Ending): Promise<PressResult> {
    const { approvalId, userKey, traceId } = approval;
    if (!(await endApproval(this.#db, approvalId, { status, ...end })))
      return toast(sayError('APPROVAL_GONE', { status: 'decided' }));
    await this.#record(approval, `approval.${status === 'void' ? 'voided' : status}`, event.actor, event.data);
    if (status !== 'void') await this.#tellLane(approval, status);
    const chats = await updateCards(this.#db, approvalId);
    return { ...toast(words), chats, wake: status === 'void' ? null : { userKey, traceId } };
  }

  /** Idempotent per approval and outcome. */
  #tellLane(approval: Approval, outcome: Exclude<Ending['status'], 'void'>): Promise<void> {
    const { approvalId, actionId, userKey, chatKey, threadId, traceId } = approval;
    return wakeLane(this.#db, {
      kind: 'decision',
      channel: 'system',
      bot: 'approvals',
      updateId: `${approvalId}:${outcome}`,
      userKey,
      chatKey,
      traceId,
      at: new Date().toISOString(),
      approvalId,
      actionId,
      threadId,
      outcome,
    });
  }

  async #grant(approval: Approval, proposal: Proposal | null, { userKey }: Decider): Promise<void> {
    if (!proposal) return;
    const grantId = newId('grant');
    const { tool, arguments: match } = proposal.action;
    const given = { approvalId: approval.approvalId, givenBy: userKey, uses: GRANT_USES, validMs: GRANT_MS };
    await putGrant(this.#db, { grantId, userKey: approval.userKey, tool, match, place: proposal.action, ...given });
    const data = { grantId, tool, uses: GRANT_USES, validMs: GRANT_MS, to: approval.userKey };
    await this.#record(approval, 'grant.given', userKey, data);
  }

  #record(approval: Approval, ...[kind, actor, data]: EventOf): Promise<void> {
    return appendAudit(this.#db, [createApprovalEvent(approval, kind, actor, data)]);
  }
}

type EventOf = Parameters<typeof createApprovalEvent> extends [unknown, ...infer Rest] ? Rest : never;

/** A voter. `permittedBy`: the rule that permits the vote. */
interface Voter extends Decider {
  readonly person: string;
  readonly permittedBy: string;
}

type End = Parameters<typeof endApproval>[2];

interface Ending extends End {
  readonly event: { readonly actor: string; readonly data: EventOf[2] };
  readonly words: string;
}

/** Describes the difference between the action and the approved action; null when both are equal. */
function findDifference(found: ApprovalDetails, use: ApprovalUse): string | null {
  const { approval, action: row, votes, requester, authors } = found;
  const { action } = use.proposal;
  const isSame =
    row !== null &&
    hashAction(action) === approval.hash &&
    areStepsBound(use.proposal) &&
    renderExactAction(action) === approval.card.exact &&
    row.hash === approval.hash &&
    hashCanonical(row.arguments) === hashCanonical(action.arguments) &&
    action.requester.userKey === use.lane.userKey &&
    row.userKey === use.lane.userKey &&
    use.chatKey === approval.chatKey;
  if (!isSame) return say('governance.otherAction');
  // A vote does not count when the voter has since become the same person as the requester.
  const counted = votes.filter(({ userKey }) =>
    approval.byRequester ? userKey === requester : approval.solo || !authors.includes(userKey),
  );
  if (counted.length < approval.needed) return say('governance.tooFew');
  if (!coversRole(use.role, use.leastRole)) return say('governance.mayNotAnyMore');
  return use.difference ?? findNews(approval.card, use.preview);
}

/** Describes the difference between the preview and the approved preview; null when both are equal. People approve what they read. */
function findNews(approved: ApprovalCard, preview: ApprovalUse['preview']): string | null {
  if (preview instanceof AppError) return explainError(preview).replace(/\.$/, '');
  if (preview === null) return null;
  // The preview is in the language that the requester reads by now.
  const card = toReaderCard(approved);
  const areSteps = hashCanonical([...(preview.steps ?? [])]) === hashCanonical(card.steps ?? []);
  if (preview.what === card.what && preview.change === card.change && areSteps) return null;
  return say('governance.thingsChanged');
}

/** Explains why policy would not require this approval now; null when it would. */
function findOtherRule(approval: Approval, { decision }: Proposal): string | null {
  const { effect, rule, sentence, approval: takes } = decision;
  if (effect === 'deny') return sayReason(sentence).replace(/[.。]$/, '');
  const isSame =
    effect === (approval.byRequester ? 'confirm' : 'ask') &&
    rule === approval.rule &&
    takes?.approvals === approval.needed &&
    takes.role === approval.role;
  return isSame ? null : say('governance.otherRule', { rule });
}

function toast(words: string): PressResult {
  return { toast: words, chats: [], wake: null, prompt: null };
}
