import type { Queryable } from '../pool.ts';
import { listRows, sql } from '../sql.ts';
import { IS_CHANGING_ACTION, selectRememberedThreads } from './conversations.ts';

/** Something that a person did: a change that they asked for, a decision about somebody's request, or a conversation. */
export interface RecentEntry {
  readonly kind: 'change' | 'decision' | 'conversation';
  readonly at: Date;
  readonly threadId: string;
  /** The changing tool with its arguments, for a change and a decision; null for a conversation. */
  readonly action: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> } | null;
  /** What became of it: the state of its job or deployment, else of the action; of a decision the verdict; of a conversation its state. */
  readonly state: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly version: string | null;
  /** The title of a conversation. */
  readonly title: string | null;
}

export interface RecentScope {
  readonly userKey: string;
  readonly threadId: string;
  readonly since: Date;
  readonly limit: number;
}

const NOTHING = sql`null::text`;

/**
 * Lists what a person did with any of their accounts, newest first. Forgotten conversations are left out. Where others read, only what
 * happened in that chat is listed.
 */
export function listRecent(
  db: Queryable,
  { userKey, threadId, since, limit }: RecentScope,
): Promise<readonly RecentEntry[]> {
  const action = sql`json_build_object('tool', a.tool, 'arguments', a.arguments)`;
  const where = sql`a.arguments ->> 'project', a.proposal #>> '{action,environment}'`;
  return listRows<RecentEntry>(db)`
    with me as materialized (
      select person_of(${userKey}) as person, identities_of(${userKey}) as keys, t.chat_key as chat,
             is_private_to(identities_of(${userKey}), t.chat_key) as alone from threads t where t.thread_id = ${threadId}),
    mine as materialized (
      select t.thread_id from me cross join lateral unnest(me.keys) k (user_key) join threads t on t.user_key = k.user_key
        left join memories m on m.person = me.person
       where t.last_active_at >= ${since} and (me.alone or chat_root(t.chat_key) = chat_root(me.chat))
         and (m.forgotten_to is null or t.last_active_at > m.forgotten_to)
         and not exists (select from memory_forgotten f where f.person = me.person and f.thread_id = t.thread_id))
    select * from (
      (select 'change' as kind, a.proposed_at as at, a.thread_id as "threadId", ${action} as action,
              coalesce(d.state, r.status, a.status) as state, ${where}, coalesce(d.release, d.ref) as version, ${NOTHING} as title
         from me, actions a left join runs r on r.run_id = a.action_id left join deployments d on d.deployment_id = a.action_id
        where a.thread_id in (select thread_id from mine) and a.user_key = any (me.keys) and a.proposed_at >= ${since}
          and (${IS_CHANGING_ACTION} or a.status in ('waiting', 'denied', 'rejected', 'modified', 'expired', 'void')
               or a.status = 'started' and a.proposal #>> '{action,assessment,risk}' <> 'safe')
        order by a.proposed_at desc limit ${limit})
      union all
      (select 'decision', coalesce(v.voted_at, p.decided_at), p.thread_id, ${action},
              case when v.user_key is not null then 'approved' else p.status end, ${where}, ${NOTHING}, ${NOTHING}
         from me cross join approvals p join actions a on a.action_id = p.action_id
              left join approval_votes v on v.approval_id = p.approval_id and v.user_key = me.person
        where p.requested_at >= ${since} and not p.by_requester and (me.alone or chat_root(p.chat_key) = chat_root(me.chat))
          and (v.user_key is not null or p.status = 'modified' and p.decided_by = me.person
               or p.status = 'rejected' and exists (select from unnest(me.keys) k where p.decided_by like '%id ' || k || ')'))
        order by 2 desc limit ${limit})
      union all
      (select 'conversation', t.last_active_at, t.thread_id, null::json, t.status, ${NOTHING}, ${NOTHING}, ${NOTHING}, t.title
         from me, lateral (select t.* from ${selectRememberedThreads(sql`me.person`, sql`me.keys`)}) t
        where t.thread_id in (select thread_id from mine) and t.thread_id <> ${threadId} and t.title is not null
        order by t.last_active_at desc limit ${limit})) entry (kind, at, "threadId", action, state, project, environment, version, title)
     order by at desc, kind limit ${limit}`;
}
