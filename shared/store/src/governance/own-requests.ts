import type { ApprovalStatus } from '@signalbox/contracts/governance/approval';
import type { Queryable } from '../pool.ts';
import type { ActionStatus } from './actions.ts';
import { listRows } from '../sql.ts';

/** A change that a person requested, with its decision and its outcome. */
export interface OwnRequest {
  readonly actionId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: ActionStatus;
  readonly errorCode: string | null;
  /** State of the job or deployment that the action started; null when it started none. */
  readonly work: string | null;
  /** The sentence of the rule that denied the action; null when no rule did. */
  readonly rule: string | null;
  /** True when the change was requested in the given conversation. */
  readonly isHere: boolean;
  readonly requestedAt: Date;
  /** Time of the end or, before the end, of the decision; null before both. */
  readonly endedAt: Date | null;
  /** Approval of the change; null when the change needed none. */
  readonly approval: {
    readonly approvalId: string;
    readonly status: ApprovalStatus;
    /** One line that names the action, as on its approval card. */
    readonly what: string;
    readonly byRequester: boolean;
    readonly needed: number;
    /** Names of the approvers, in order of approval. */
    readonly voters: readonly string[];
    /** Person who rejected, changed or withdrew the request; null when it expired or has not ended. */
    readonly decidedBy: string | null;
    readonly reason: string | null;
    readonly expiresAt: Date;
  } | null;
}

/** Lists a person's newest requests, without reads; requests of this conversation come first. */
export async function listOwnRequests(
  db: Queryable,
  { userKey, threadId }: { readonly userKey: string; readonly threadId: string },
  limit: number,
): Promise<readonly OwnRequest[]> {
  const rows = await listRows<Row>(db)`
    select a.action_id as "actionId", a.tool, a.arguments, a.status, a.error_code as "errorCode", coalesce(d.state, r.status) as work,
           case when a.status = 'denied' then a.proposal #>> '{decision,sentence}' end as rule, a.thread_id = ${threadId} as "isHere",
           a.proposed_at as "requestedAt", coalesce(d.finished_at, r.finished_at, a.settled_at, p.decided_at) as "endedAt",
           case when p.approval_id is not null then json_build_object(
             'approvalId', p.approval_id, 'status', p.status, 'what', p.card ->> 'what', 'byRequester', p.by_requester, 'needed', p.needed,
             'voters', (select coalesce(json_agg(v.name order by v.voted_at, v.user_key), '[]') from approval_votes v
                         where v.approval_id = p.approval_id),
             -- Whoever approved it did not make it void.
             'decidedBy', case when p.status <> 'void'
                 or p.needed > (select count(*) from approval_votes v where v.approval_id = p.approval_id)
               then coalesce((select u.name from users u where u.user_key = p.decided_by), p.decided_by) end,
             'reason', case when p.status <> 'modified' then p.reason end, 'expiresAt', p.expires_at) end as approval
      from actions a left join approvals p on p.action_id = a.action_id
           left join runs r on r.run_id = a.action_id left join deployments d on d.deployment_id = a.action_id
     where a.user_key = ${userKey} and (p.approval_id is not null or a.proposal #>> '{action,assessment,risk}' <> 'safe')
     order by "isHere" desc, a.proposed_at desc, a.action_id desc limit ${limit}`;
  return rows.map(({ approval, ...row }) => ({
    ...row,
    // JSON has no dates, so the text is converted.
    approval: approval && { ...approval, expiresAt: new Date(approval.expiresAt) },
  }));
}

type Row = Omit<OwnRequest, 'approval'> & {
  readonly approval: (Omit<NonNullable<OwnRequest['approval']>, 'expiresAt'> & { readonly expiresAt: string }) | null;
};
