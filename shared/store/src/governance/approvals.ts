import type { Approval, ApprovalCard, ApprovalStatus, ApprovalVote } from '@signalbox/contracts/governance/approval';
import type { ProposedAction } from '@signalbox/contracts/governance/action';
import type { PolicyDecision, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { StepCondition } from '@signalbox/contracts/governance/plan';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { formatUnderWay } from '@signalbox/safety/cards/approval-card';
import type { Lane } from '../conversation/lane.ts';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, listValues, sql } from '../sql.ts';

/** An action with the policy question about it and the decision. Stored with the action. */
export interface Proposal {
  readonly action: ProposedAction;
  readonly question: PolicyQuestion;
  readonly decision: PolicyDecision;
  /** The steps of a plan, whose decision is the strictest of theirs; missing for other actions. */
  readonly steps?: readonly PlannedStep[];
}

/** A step of a plan as it was decided about: its call is frozen. */
export interface PlannedStep {
  readonly proposal: Proposal;
  readonly if: StepCondition;
}

const COLUMNS = sql`approval_id as "approvalId", action_id as "actionId", user_key as "userKey", chat_key as "chatKey", thread_id as "threadId",
  turn_id as "turnId", trace_id as "traceId", hash, rule, policy, needed, role, solo, by_requester as "byRequester",
  authors, card, status, requested_at as "requestedAt",
  expires_at as "expiresAt", decided_by as "decidedBy", reason, change`;

/** Finds an approval request, or null. `lock`: nobody else can decide about the request until the transaction ends. */
export function findApproval(db: Queryable, approvalId: string, lock = false): Promise<Approval | null> {
  return findRow<Approval>(db)`select ${COLUMNS} from approvals
      where approval_id = ${approvalId} ${lock ? sql`for update` : sql``}`;
}

/** Finds the approval request of an action, or null. */
export function findApprovalOf(db: Queryable, actionId: string): Promise<Approval | null> {
  return findRow<Approval>(db)`select ${COLUMNS} from approvals where action_id = ${actionId}`;
}

/** Finds a pending request by this person in this chat for exactly the same action; null when there is none. */
export function findSameRequest(
  db: Queryable,
  same: { readonly userKey: string; readonly chatKey: string; readonly hash: string },
): Promise<Approval | null> {
  return findRow<Approval>(db)`select ${COLUMNS} from approvals
      where status = 'pending' and user_key = ${same.userKey} and chat_key = ${same.chatKey} and hash = ${same.hash}
        and expires_at > clock_timestamp() limit 1`;
}

/** An action as stored in the ledger. */
export interface LedgerRow {
  readonly status: string;
  readonly result: unknown;
  readonly userKey: string;
  readonly arguments: unknown;
  readonly hash: string | null;
  readonly proposal: Proposal | null;
}

/** Finds an action in the ledger, or null. */
export function findAction(db: Queryable, actionId: string): Promise<LedgerRow | null> {
  return findRow<LedgerRow>(db)`select status, result, user_key as "userKey", arguments, hash,
      proposal from actions where action_id = ${actionId}`;
}

/** An approval request with everything that a decision about it needs. */
export interface ApprovalDetails {
  readonly approval: Approval;
  /** The requested action; null when its row was deleted. */
  readonly action: LedgerRow | null;
  /** Approvals so far, in order. */
  readonly votes: readonly ApprovalVote[];
  /** Decision that used up the request or made it void; null before. */
  readonly used: RecordedDecision | null;
  /** Person to whom the requester's account belongs; `authors` are the persons of the authors' accounts. */
  readonly requester: string;
  readonly authors: readonly string[];
  /** True when the request has expired. */
  readonly isOver: boolean;
  /** True when the request's chat is parked: it refuses messages. */
  readonly isChatParked: boolean;
}

/**
 * Finds a request with everything that a decision about it needs, or null. `lock`: nobody else decides about it until the transaction ends.
 */
export async function findApprovalDetails(
  db: Queryable,
  approvalId: string,
  lock = false,
): Promise<ApprovalDetails | null> {
  const approval = await findApproval(db, approvalId, lock);
  if (!approval) return null;
  // A separate statement, so that a caller who waited for the lock sees everything that was committed meanwhile.
  const row = await findRow<Omit<ApprovalDetails, 'approval' | 'action'> & Record<keyof LedgerRow, never>>(db)`
    select a.status, a.result, a.user_key as "userKey", a.arguments, a.hash, a.proposal, p.used,
           array(select jsonb_build_object('userKey', v.user_key, 'name', v.name, 'role', v.role) from approval_votes v
                  where v.approval_id = p.approval_id order by v.voted_at, v.user_key) as votes,
           coalesce((persons_of(array[p.user_key]))[1], p.user_key) as requester, persons_of(p.authors) as authors,
           p.expires_at <= clock_timestamp() as "isOver",
           exists (select 1 from chats c where c.chat_key = chat_root(p.chat_key) and c.parked_at is not null) as "isChatParked"
      from approvals p left join actions a on a.action_id = p.action_id where p.approval_id = ${approvalId}`;
  if (!row) return null;
  const { status, result, userKey, arguments: args, hash, proposal, ...rest } = row;
  const action = status === null ? null : { status, result, userKey, arguments: args, hash, proposal };
  return { approval, action, ...rest };
}

/**
 * Uses up an approved request with this decision, and starts its action under the lane's epoch. False when the request was not approved
 * or its action did not wait.
 */
export function claimApproved(
  db: Queryable,
  approvalId: string,
  lane: Lane,
  decided: RecordedDecision,
): Promise<boolean> {
  return hasRow(db)`with used as (
       update approvals set status = 'consumed', consumed_at = clock_timestamp(), used = ${JSON.stringify(decided)}::jsonb
        where approval_id = ${approvalId} and status = 'approved'
       returning action_id)
     , begun as (
       update actions a set status = 'started', started_at = clock_timestamp(), epoch = ${lane.epoch} from used
        where a.action_id = used.action_id and a.status = 'waiting'
       returning 1)
     select 1 from begun`;
}

/** Stores the decision that made an approved request void. */
export async function noteDecision(db: Queryable, approvalId: string, decided: RecordedDecision): Promise<void> {
  await db.query(sql`update approvals set used = ${JSON.stringify(decided)}::jsonb where approval_id = ${approvalId}`);
}

/** Stores the outcome line of a used request for its card, or "under way" while a run continues the action. Keeps an earlier line. */
export async function noteOutcomeLine(db: Queryable, approvalId: string, line: string): Promise<void> {
  await db.query(sql`update approvals a set reason = case when exists (
         select 1 from runs r where r.run_id = a.action_id and r.status in ('queued', 'running')) then ${formatUnderWay()} else ${line} end
      where approval_id = ${approvalId} and status = 'consumed' and reason is null`);
}

/** Lists the approvals of a request so far, in order. */
export function listVotes(db: Queryable, approvalId: string): Promise<readonly ApprovalVote[]> {
  return listRows<ApprovalVote>(db)`select user_key as "userKey", name, role from approval_votes
      where approval_id = ${approvalId} order by voted_at, user_key`;
}

/** Lists pending requests, oldest first: of everybody, or of these accounts. */
export function listPending(db: Queryable, accounts: readonly string[] | null = null): Promise<readonly Approval[]> {
  return listRows<Approval>(db)`select ${COLUMNS} from approvals where status = 'pending'
      and (${accounts}::text[] is null or user_key = any (${accounts})) order by requested_at limit 50`;
}

/** Lists requests that were rejected, expired or void in the last `days`, newest first: of everybody, or of these accounts. */
export function listRefused(
  db: Queryable,
  {
    accounts,
    days,
    limit,
  }: { readonly accounts: readonly string[] | null; readonly days: number; readonly limit: number },
): Promise<readonly Approval[]> {
  return listRows<Approval>(db)`select ${COLUMNS} from approvals
      where status in ('rejected', 'expired', 'void') and (${accounts}::text[] is null or user_key = any (${accounts}))
        and coalesce(decided_at, expires_at) > clock_timestamp() - ${days} * interval '1 day'
      order by coalesce(decided_at, expires_at) desc limit ${limit}`;
}

/** Why nobody can usefully decide about a request any more: infra/postgres/137_gone_gates.sql says when. */
export type LostPoint = 'requester' | 'frozen' | 'project' | 'server' | 'deployed' | 'moved' | 'gone';

/** Lists pending requests that have lost their point, oldest first. */
export function listPointless(
  db: Queryable,
  limit: number,
): Promise<readonly { readonly approvalId: string; readonly why: LostPoint }[]> {
  return listRows<{ approvalId: string; why: LostPoint }>(db)`
    select approval_id as "approvalId", why from approvals, lateral lost_point_of(approval_id) as why
     where status = 'pending' and why is not null order by requested_at limit ${limit}`;
}

/** Stores a request. False, with nothing written, when the action already has one. */
export function insertApproval(
  db: Queryable,
  request: Omit<Approval, 'status' | 'requestedAt' | 'expiresAt' | 'decidedBy' | 'reason' | 'change'> & {
    readonly card: ApprovalCard;
    readonly expiresMs: number;
  },
): Promise<boolean> {
  return hasRow(db)`
    insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role,
                            solo, authors, card, expires_at, remind_at, escalate_at, by_requester)
     select ${request.approvalId}, ${request.actionId}, ${request.userKey}, ${request.chatKey}, ${request.threadId}, ${request.turnId},
       ${request.traceId}, ${request.hash}, ${request.rule}, ${request.policy}, ${request.needed}, ${request.role}, ${request.solo},
       ${request.authors}, ${JSON.stringify(request.card)}::jsonb, t + ${request.expiresMs} * interval '1 ms',
            case when not ${request.byRequester} then t + ${request.expiresMs} * interval '0.33 ms' end,
              case when not ${request.byRequester} then t + ${request.expiresMs} * interval '0.66 ms' end, ${request.byRequester}
       from (select clock_timestamp() as t) now
     on conflict (action_id) do nothing`;
}

/** Counts this person's approval of a request. False when the person has already approved it. */
export function addVote(db: Queryable, approvalId: string, voter: ApprovalVote): Promise<boolean> {
  return hasRow(db)`insert into approval_votes (approval_id, user_key, name, role)
      values (${approvalId}, ${voter.userKey}, ${voter.name}, ${voter.role}) on conflict do nothing`;
}

/** Ends a pending request, or an approved one as void. Without `by` the stored approver stays. False when the request had ended before. */
export async function endApproval(
  db: Queryable,
  approvalId: string,
  end: {
    readonly status: Exclude<ApprovalStatus, 'pending' | 'consumed'>;
    readonly by: string | null;
    readonly reason: string | null;
    readonly change?: Readonly<Record<string, unknown>>;
  },
): Promise<boolean> {
  const change = end.change ? JSON.stringify(end.change) : null;
  // Services that only expire requests have no right to write these two columns.
  const decided = end.by === null ? sql`` : sql`, decided_by = ${end.by}, change = ${change}::jsonb`;
  const isEnded = await hasRow(db)`
    update approvals set status = ${end.status}, decided_at = clock_timestamp(), reason = ${end.reason}${decided}
      where approval_id = ${approvalId} and (status = 'pending' or (status = 'approved' and ${end.status} = 'void'))`;
  if (!isEnded) return false;
  if (end.status !== 'approved')
    await db.query(sql`
      update actions set status = ${end.status}, settled_at = now()
        where action_id = (select action_id from approvals where approval_id = ${approvalId})
          and status = 'waiting'`);
  return true;
}

/** Lists the chats with a card of this request, without parked chats. */
export function listCardChats(db: Queryable, approvalId: string): Promise<readonly string[]> {
  return listValues<string>(db)`select distinct o.chat_key from outbox o
      where o.slot = ${approvalId}
        and not exists (select 1 from chats x where x.chat_key = chat_root(o.chat_key) and x.parked_at is not null)
      order by o.chat_key`;
}

/**
 * Lists the chats in which approvers see a request: the group set for approvals or else the private chats of all people with the role who
 * have written to the bot. May be empty.
 */
export async function listApproverChats(
  db: Queryable,
  role: Role,
  authors: readonly string[],
  options: { readonly isNamedGroupUsed: boolean } = { isNamedGroupUsed: true },
): Promise<readonly { readonly chatKey: string; readonly userKey: string | null }[]> {
  const named = await findValue<string>(db)`select value ->> 'chatKey' from settings where key = 'approvals_chat'`;
  if (named !== null && options.isNamedGroupUsed) return [{ chatKey: named, userKey: null }];
  return listRows<{ chatKey: string; userKey: string }>(db)`
    select u.user_key as "userKey", c.chat_key as "chatKey" from users u
       join lateral (select i.chat_key from inbox i where i.user_key = u.user_key and i.envelope ->> 'chatKind' = 'private'
                      order by i.id desc limit 1) c on true
      where u.role = any (${rolesFrom(role)}) and not u.is_program and u.person <> all (${authors})
        and not exists (select 1 from chats x where x.chat_key = c.chat_key and x.parked_at is not null)
      order by u.user_key`;
}

/** A person who could approve. */
export interface Approver {
  readonly name: string;
  /** True when the card is in a chat where this person has written. Null when it is in the group for approvals, which may include them. */
  readonly isShown: boolean | null;
}

/** Lists the people who could approve a request; those who are shown its card come first. Cards that cannot be delivered do not count. */
export function listApprovers(
  db: Queryable,
  { approvalId, role, authors }: Pick<Approval, 'approvalId' | 'role' | 'authors'>,
): Promise<readonly Approver[]> {
  return listRows<Approver>(db)`
    with cards as materialized (
      select distinct chat_root(o.chat_key) as chat from outbox o
       where o.slot = ${approvalId} and o.status not in ('undeliverable', 'failed')
         and not exists (select 1 from chats x where x.chat_key = chat_root(o.chat_key) and x.parked_at is not null))
    select min(u.name) as name,
           bool_or(case when exists (select 1 from inbox i join cards c on c.chat = chat_root(i.chat_key) where i.user_key = u.user_key) then true
                        when not exists (select 1 from settings s join cards c on c.chat = chat_root(s.value ->> 'chatKey')
                                          where s.key = 'approvals_chat') then false end) as "isShown"
      from users u where u.role = any (${rolesFrom(role)}) and not u.is_program and u.person <> all (${authors})
     group by u.person order by 2 desc nulls last, 1`;
}

/** Lists the given role and all higher roles. */
function rolesFrom(role: Role): readonly Role[] {
  return Role.options.filter((one) => coversRole(one, role));
}
