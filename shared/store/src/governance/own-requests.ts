import type { ApprovalStatus } from '@signalbox/contracts/governance/approval';
import type { DeployState } from '@signalbox/contracts/operations/deploy';
import type { Queryable } from '../pool.ts';
import { selectVerdict } from '../deploy/service-health.ts';
import type { ActionStatus } from './actions.ts';
import { listRows, sql } from '../sql.ts';

/** A change that a person requested, with its decision and its outcome. */
export interface OwnRequest {
  readonly actionId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the arguments stood for; null when nothing was looked up. */
  readonly resolved: unknown;
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

const SELECT_REQUEST = sql`
  a.action_id as "actionId", a.tool, a.arguments, a.proposal #> '{action,resolved}' as resolved, a.status, a.error_code as "errorCode", coalesce(d.state, r.status) as work,
  case when a.status = 'denied' then a.proposal #>> '{decision,sentence}' end as rule,
  a.proposed_at as "requestedAt", coalesce(d.finished_at, r.finished_at, a.settled_at, p.decided_at) as "endedAt",
  case when p.approval_id is not null then json_build_object(
    'approvalId', p.approval_id, 'status', p.status, 'what', p.card ->> 'what', 'byRequester', p.by_requester, 'needed', p.needed,
    'voters', (select coalesce(json_agg(v.name order by v.voted_at, v.user_key), '[]') from approval_votes v
                where v.approval_id = p.approval_id),
    -- Whoever approved it did not make it void.
    'decidedBy', case when p.status <> 'void'
        or p.needed > (select count(*) from approval_votes v where v.approval_id = p.approval_id)
      then coalesce((select u.name from users u where u.user_key = p.decided_by), p.decided_by) end,
    'reason', case when p.status <> 'modified' then p.reason end, 'expiresAt', p.expires_at) end as approval`;
const FROM_REQUESTS = sql`actions a left join approvals p on p.action_id = a.action_id
  left join runs r on r.run_id = a.action_id left join deployments d on d.deployment_id = a.action_id`;

/** Lists a person's newest requests, without reads; requests of this conversation come first. */
export async function listOwnRequests(
  db: Queryable,
  { userKey, threadId }: { readonly userKey: string; readonly threadId: string },
  limit: number,
): Promise<readonly OwnRequest[]> {
  const rows = await listRows<Row>(db)`
    select ${SELECT_REQUEST}, a.thread_id = ${threadId} as "isHere" from ${FROM_REQUESTS}
     where a.user_key = ${userKey} and (p.approval_id is not null or a.proposal #>> '{action,assessment,risk}' <> 'safe')
     order by "isHere" desc, a.proposed_at desc, a.action_id desc limit ${limit}`;
  return rows.map(({ approval, ...row }) => ({ ...row, approval: approval && toApproval(approval) }));
}

/** A request that waits or waited for people, as one of those who may see it finds it. */
export interface VisibleRequest extends OwnRequest {
  readonly approval: NonNullable<OwnRequest['approval']>;
  /** True when the person asked for it themselves, with any of their accounts. */
  readonly isOwn: boolean;
  /** True when its card may be read in this chat: it is private, or the card or the request is in it. */
  readonly isReadableHere: boolean;
  readonly asker: string;
  /** The deployment that was asked for; null for other changes. */
  readonly deployment: {
    readonly project: string;
    readonly environment: string;
    readonly version: string | null;
    /** The release that serves there now; null when nothing does. */
    readonly serves: string | null;
    /** The newest deployment of this very commit or version on staging; null when there was none, or staging itself is meant. */
    readonly staging: {
      readonly state: DeployState;
      readonly at: string;
      readonly isServing: boolean;
      readonly verdict: string | null;
      readonly incidents: readonly string[];
    } | null;
  } | null;
}

/** The maximum number of requests of which one is meant. */
const MAX_MEANT = 10;

/**
 * Finds the requests that a person may mean, newest first: by the id of the request or its action, or without an id those that wait.
 * People see what they asked for. Operators and admins also see what waits for the approval of others, as on its card.
 */
export async function listVisibleRequests(
  db: Queryable,
  { userKey, threadId }: { readonly userKey: string; readonly threadId: string },
  id: string | null,
): Promise<readonly VisibleRequest[]> {
  const rows = await listRows<Omit<VisibleRequest, 'approval'> & { readonly approval: StoredApproval }>(db)`
    with me as materialized (
      select identities_of(${userKey}) as keys, (select u.role from users u where u.user_key = ${userKey}) in ('operator', 'admin') as decides,
             (select t.chat_key from threads t where t.thread_id = ${threadId}) as chat)
    select ${SELECT_REQUEST}, a.thread_id = ${threadId} as "isHere", a.user_key = any (me.keys) as "isOwn",
           coalesce(u.name, a.user_key) as asker,
           is_private_to(me.keys, me.chat) or chat_root(p.chat_key) = chat_root(me.chat)
             or exists (select from outbox o where o.slot = p.approval_id and chat_root(o.chat_key) = chat_root(me.chat)) as "isReadableHere",
           case when a.tool in ('trigger_deploy', 'rollback_deploy') then json_build_object(
             'project', a.arguments ->> 'project', 'environment', a.arguments ->> 'environment',
             'version', coalesce(a.arguments ->> 'version', a.proposal #>> '{action,resolved,ref}'),
             'serves', (select n.release from services v join deployments n on n.deployment_id = v.serving
                         where v.project = a.arguments ->> 'project' and v.environment = a.arguments ->> 'environment'),
             'staging', (select json_build_object('state', s.state, 'at', coalesce(s.finished_at, s.requested_at),
                                'isServing', v.serving is not distinct from s.deployment_id,
                                'verdict', case when v.serving = s.deployment_id then ${selectVerdict(sql`v`, sql`s`)} end,
                                'incidents', (select coalesce(json_agg(i.kind order by i.opened_at), '[]') from incidents i
                                               where i.closed_at is null and v.serving = s.deployment_id
                                                 and i.subject = 'service:' || s.project || '/staging'))
                           from deployments s join services v on v.project = s.project and v.environment = s.environment
                          where s.project = a.arguments ->> 'project' and s.environment = 'staging'
                            and a.arguments ->> 'environment' <> 'staging'
                            and (s.commit = a.proposal #>> '{action,resolved,commit}' or s.ref = a.arguments ->> 'version')
                          order by s.requested_at desc limit 1)) end as deployment
      from me, ${FROM_REQUESTS} left join users u on u.user_key = a.user_key
     where (a.user_key = any (me.keys) or me.decides and not p.by_requester)
       and case when ${id}::text is null then p.status = 'pending' and p.expires_at > clock_timestamp()
                else p.approval_id = ${id} or a.action_id = ${id} and p.approval_id is not null end
     order by "isHere" desc, p.requested_at desc limit ${MAX_MEANT}`;
  return rows.map(({ approval, ...row }) => ({ ...row, approval: toApproval(approval) }));
}

type StoredApproval = Omit<NonNullable<OwnRequest['approval']>, 'expiresAt'> & { readonly expiresAt: string };
type Row = Omit<OwnRequest, 'approval'> & { readonly approval: StoredApproval | null };

/** JSON has no dates, so the text is converted. */
function toApproval({ expiresAt, ...approval }: StoredApproval): NonNullable<OwnRequest['approval']> {
  return { ...approval, expiresAt: new Date(expiresAt) };
}
