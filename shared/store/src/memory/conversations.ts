import type { Queryable } from '../pool.ts';
import { hasRow, listRows, sql, type Sql } from '../sql.ts';
import { expireMemoryCache } from './facts.ts';

/** A remembered conversation. Outcomes of its actions are in the ledger: see `changes` in context-rows.ts. */
export interface RememberedConversation {
  readonly threadId: string;
  readonly status: 'open' | 'finished' | 'expired' | 'closed';
  /** The last change or, without one, the task as the agent understood it. */
  readonly title: string | null;
  readonly lastActiveAt: Date;
  readonly changes: number;
}

/** Number of newest conversations that are read per account. */
const LOOKED_AT = sql`12`;

/**
 * SQL that lists the newest remembered threads of each of `keys`, as alias t. `person`, `keys`: see `me` in context-rows.ts. Threads are
 * numbered in order of creation.
 */
export const selectRememberedThreads = (person: Sql, keys: Sql): Sql => sql`
  unnest(${keys}) k (user_key)
    cross join lateral (select x.* from threads x where x.user_key = k.user_key order by x.n desc limit ${LOOKED_AT}) t
    left join memories m on m.person = ${person}
  where (m.forgotten_to is null or t.last_active_at > m.forgotten_to)
    and not exists (select from memory_forgotten f where f.person = ${person} and f.thread_id = t.thread_id)`;

/** SQL condition on `actions a`: the action ran and changed something. */
export const IS_CHANGING_ACTION: Sql = sql`a.started_at is not null and a.status in ('done', 'failed', 'unknown')
  and a.proposal #>> '{action,assessment,risk}' is distinct from 'safe'`;

/** Lists the newest remembered conversations of a person. */
export function listConversations(
  db: Queryable,
  userKey: string,
  limit: number,
): Promise<readonly RememberedConversation[]> {
  return listRows<RememberedConversation>(db)`
    select t.thread_id as "threadId", t.status, t.title, t.last_active_at as "lastActiveAt",
           (select count(*)::int from actions a where a.thread_id = t.thread_id and ${IS_CHANGING_ACTION}) as changes
      from ${selectRememberedThreads(sql`person_of(${userKey})`, sql`identities_of(${userKey})`)}
     order by t.last_active_at desc limit ${limit}`;
}

/** Forgets the outcomes of a conversation but keeps its records. False when the conversation belongs to another person. */
export async function forgetConversation(db: Queryable, userKey: string, threadId: string): Promise<boolean> {
  const isTheirs = await hasRow(db)`
    select 1 from threads where thread_id = ${threadId} and user_key = any (identities_of(${userKey}))`;
  if (!isTheirs) return false;
  await expireMemoryCache(db, userKey);
  await db.query(sql`insert into memory_forgotten (person, thread_id) values (person_of(${userKey}), ${threadId})
    on conflict do nothing`);
  return true;
}
