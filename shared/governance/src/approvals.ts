import type { Approval, ApprovalAct, ApprovalVote } from '@signalbox/contracts/governance/approval';
import type { Permission, PolicyEngine, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import type { Role } from '@signalbox/contracts/governance/roles';
import { describePerson } from '@signalbox/safety/cards/approval-card';
import { say, sayError, sayReason } from '@signalbox/messages/say';
import { newId } from '@signalbox/contracts/ids';
import {
  addVote,
  approvalEvent,
  endApproval,
  findApproval,
  findProposal,
  putDecision,
  recordApproval,
  type Proposal,
} from '@signalbox/store/governance/approvals';
import { governanceFacts } from '@signalbox/store/governance/governance-facts';
import { putGrant } from '@signalbox/store/governance/grants';
import { showCards } from '@signalbox/store/governance/approval-cards';
import { findPerson, personsOf } from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import { findRow } from '@signalbox/store/sql';

/** Somebody who decides, wherever they do it. */
export interface Decider {
  readonly userKey: string;
  readonly name: string;
  readonly role: Role;
}

/** What came of a press, for whoever pressed and for whoever has to be woken after the commit. */
export interface Decided {
  /** Shown to the one who pressed, for a moment. */
  readonly toast: string;
  /** Chats with something new to send. */
  readonly chats: readonly string[];
  /** The lane that goes on. */
  readonly wake: { readonly userKey: string; readonly traceId: string } | null;
  /** What the presser has to write before it counts. */
  readonly prompt: 'reject' | 'modify' | 'ask' | null;
}

/** What a press brings with it. */
export interface Press extends Omit<ApprovalAct, 'verb'> {
  readonly verb: Exclude<ApprovalAct['verb'], 'show'>;
  readonly by: Decider;
  /** New values of arguments, with `modify`. */
  readonly change?: Readonly<Record<string, unknown>>;
}

const GRANT_MS = 30 * 60_000;
const GRANT_USES = 3;

/**
 * Decides about a request in the caller's transaction: locked, looked at again, authorized by policy as it is now, recorded. Doing the
 * same again changes nothing and says so. Nothing runs here; the requester's lane hears of it and runs the frozen action.
 */
export async function decideApproval(db: Queryable, engine: PolicyEngine, press: Press): Promise<Decided> {
  const approval = await findApproval(db, press.approvalId, true);
  if (!approval) return toast(sayError('BUTTON_EXPIRED', {}));
  // Votes and authors are persons: a second account is no second pair of eyes.
  const { person, isProgram } = await findPerson(db, press.by.userKey);
  const [requester = approval.userKey] = await personsOf(db, [approval.userKey]);
  const refuse = async (why: string, rule: string): Promise<Decided> => {
    const data = { verb: press.verb, why, refusedBy: rule };
    await recordApproval(db, approvalEvent(approval, 'approval.click_refused', press.by.userKey, data));
    return toast(why);
  };
  if (approval.status !== 'pending')
    return refuse(sayError('APPROVAL_GONE', { status: approval.status }), 'not-pending');
  if (isProgram) return refuse(say('card.only-people-decide'), 'no-program');
  const ended = await endWhatIsOver(db, approval);
  if (ended) return ended;
  if (press.verb === 'withdraw') {
    if (person !== requester) return refuse(say('card.only-requester-withdraws'), 'withdraw-own');
    await endApproval(db, approval.approvalId, {
      status: 'void',
      by: press.by.name,
      reason: say('card.reason-withdrawn'),
    });
    await recordApproval(db, approvalEvent(approval, 'approval.voided', press.by.userKey, { reason: 'withdrawn' }));
    return shown(db, approval.approvalId, say('card.withdrawn'), null);
  }
  const proposal = await findProposal(db, approval.actionId);
  if (!proposal) return refuse(sayError('BUTTON_EXPIRED', {}), 'no-proposal');
  if (approval.byRequester && (person !== requester || press.verb !== 'approve'))
    return refuse(say('card.only-requester-confirms'), 'confirm-own');
  const facts = await governanceFacts(db, proposal.action, null);
  const context: PolicyQuestion['context'] = {
    ...proposal.question.context,
    at: facts.at,
    frozen: facts.frozen,
    breakGlass: facts.breakGlass,
    otherApprovers: approval.role === 'admin' ? facts.admins : facts.operators,
  };
  const permission = approval.byRequester
    ? mayConfirm(engine, proposal, press, context)
    : engine.mayApprove({
        approver: { userKey: person, role: press.by.role },
        authors: await personsOf(db, approval.authors),
        action: proposal.question.action,
        context,
        ageMs: Date.parse(facts.at) - approval.requestedAt.getTime(),
      });
  if (!permission.allowed) return refuse(sayReason(permission.sentence), permission.rule);
  switch (press.verb) {
    case 'approve':
    case 'grant':
      return approve(db, approval, { ...press, person }, permission.rule);
    case 'reject':
      return press.reason === undefined
        ? ask('reject')
        : reject(db, approval, { by: press.by, reason: press.reason }, permission.rule);
    case 'modify':
      return press.change === undefined
        ? ask('modify')
        : modify(db, approval, { by: press.by, person, change: press.change }, permission.rule);
    case 'ask':
      return ask('ask');
  }
}

/** A confirmation takes no right of its own: whatever the rules of now would not deny to this person, they may confirm. */
function mayConfirm(
  engine: PolicyEngine,
  { question }: Proposal,
  { by }: Press,
  context: PolicyQuestion['context'],
): Pick<Permission, 'allowed' | 'rule' | 'sentence'> {
  const principal = { ...question.principal, role: by.role };
  const { effect, rule, sentence } = engine.decide({ ...question, principal, context });
  return { allowed: effect !== 'deny', rule, sentence };
}

async function approve(
  db: Queryable,
  approval: Approval,
  press: Press & { readonly person: string },
  rule: string,
): Promise<Decided> {
  const { by, person } = press;
  const { votes, isNew } = await addVote(db, approval.approvalId, { ...by, userKey: person });
  if (!isNew) return toast(say('card.approved-already', { given: votes.length, needed: approval.needed }));
  const given = {
    by: by.userKey,
    name: by.name,
    role: by.role,
    permittedBy: rule,
    vote: votes.length,
    needed: approval.needed,
  };
  await recordApproval(db, approvalEvent(approval, 'approval.voted', by.userKey, given));
  if (press.verb === 'grant' && approval.needed === 1) await grant(db, approval, by);
  if (votes.length < approval.needed)
    return shown(db, approval.approvalId, say('card.counted', { given: votes.length, needed: approval.needed }), null);
  await endApproval(db, approval.approvalId, { status: 'approved', by: names(votes), reason: null });
  const approvers = votes.map((vote) => vote.userKey);
  await recordApproval(db, approvalEvent(approval, 'approval.approved', by.userKey, { approvers }));
  await putDecision(db, approval, 'approved');
  return shown(db, approval.approvalId, say('card.runs-now', { isConfirmed: approval.byRequester }), approval);
}

async function reject(
  db: Queryable,
  approval: Approval,
  { by, reason }: { readonly by: Decider; readonly reason: string },
  rule: string,
): Promise<Decided> {
  await endApproval(db, approval.approvalId, { status: 'rejected', by: describePerson(by), reason });
  const data = { name: by.name, role: by.role, reason, permittedBy: rule };
  await recordApproval(db, approvalEvent(approval, 'approval.rejected', by.userKey, data));
  await putDecision(db, approval, 'rejected');
  return shown(db, approval.approvalId, say('card.now-rejected'), approval);
}

async function modify(
  db: Queryable,
  approval: Approval,
  {
    by,
    person,
    change,
  }: { readonly by: Decider; readonly person: string; readonly change: Readonly<Record<string, unknown>> },
  rule: string,
): Promise<Decided> {
  await endApproval(db, approval.approvalId, { status: 'modified', by: person, reason: by.name, change });
  const data = { name: by.name, role: by.role, permittedBy: rule, change: JSON.stringify(change) };
  await recordApproval(db, approvalEvent(approval, 'approval.modified', by.userKey, data));
  await putDecision(db, approval, 'modified');
  return shown(db, approval.approvalId, say('card.now-modified'), approval);
}

/** Ends a request whose time is up. */
export async function expire(db: Queryable, approval: Approval): Promise<Decided> {
  if (
    !(await endApproval(db, approval.approvalId, { status: 'expired', by: null, reason: say('card.reason-expired') }))
  )
    return toast(sayError('APPROVAL_GONE', { status: 'decided' }));
  await recordApproval(db, approvalEvent(approval, 'approval.expired', 'system', {}));
  await putDecision(db, approval, 'expired');
  return shown(db, approval.approvalId, sayError('APPROVAL_GONE', { status: 'expired' }), approval);
}

/** Ends a request that was made in a chat which may not be written to any more: nobody there could hear what came of it. */
export async function voidUnheard(db: Queryable, approval: Approval): Promise<Decided> {
  const reason = say('card.reason-unheard');
  if (!(await endApproval(db, approval.approvalId, { status: 'void', by: null, reason })))
    return toast(sayError('APPROVAL_GONE', { status: 'decided' }));
  await recordApproval(db, approvalEvent(approval, 'approval.voided', 'system', { reason }));
  return shown(db, approval.approvalId, sayError('APPROVAL_GONE', { status: 'void' }), null);
}

/** Makes every card of a request show how it stands. `wake`: the lane of its requester has something to do. */
async function shown(db: Queryable, approvalId: string, words: string, wake: Approval | null): Promise<Decided> {
  const chats = await showCards(db, approvalId);
  return {
    toast: words,
    chats,
    wake: wake && { userKey: wake.userKey, traceId: wake.traceId },
    prompt: null,
  };
}

async function grant(db: Queryable, approval: Approval, by: Decider): Promise<void> {
  const proposal = await findProposal(db, approval.actionId, approval.hash);
  if (!proposal) return;
  const grantId = newId('grant');
  await putGrant(db, {
    grantId,
    userKey: approval.userKey,
    tool: proposal.action.tool,
    match: proposal.action.arguments,
    place: proposal.action,
    givenBy: by.userKey,
    approvalId: approval.approvalId,
    uses: GRANT_USES,
    validMs: GRANT_MS,
  });
  const data = { grantId, tool: proposal.action.tool, uses: GRANT_USES, validMs: GRANT_MS, to: approval.userKey };
  await recordApproval(db, approvalEvent(approval, 'grant.given', by.userKey, data));
}

/** What the watch would end with its next look is not decided about. Null: it is still open. */
async function endWhatIsOver(db: Queryable, approval: Approval): Promise<Decided | null> {
  const row = await findRow<{ over: boolean; unheard: boolean }>(db)`
    select a.expires_at <= clock_timestamp() as over,
            exists (select 1 from chats c where c.chat_key = chat_root(a.chat_key) and c.parked_at is not null) as unheard
       from approvals a where a.approval_id = ${approval.approvalId}`;
  if (row?.unheard) return voidUnheard(db, approval);
  return row?.over === false ? null : expire(db, approval);
}

function names(votes: readonly ApprovalVote[]): string {
  return votes.map((vote) => vote.name).join(', ');
}

function toast(words: string): Decided {
  return { toast: words, chats: [], wake: null, prompt: null };
}

function ask(prompt: NonNullable<Decided['prompt']>): Decided {
  return { toast: '', chats: [], wake: null, prompt };
}
