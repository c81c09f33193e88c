import type { Queryable } from '../pool.ts';
import { findValue, hasRow, listRows } from '../sql.ts';

/** Reads the number of a person's newest thread; null when there is none. */
export function readCurrentThread(db: Queryable, userKey: string): Promise<number | null> {
  return findValue<number>(db)`select last_n from thread_sequences
      where user_key = ${userKey}`;
}

export interface ThreadRow {
  readonly threadId: string;
  readonly userKey: string;
  readonly status: 'open' | 'finished' | 'expired' | 'closed';
  readonly awaiting: boolean;
  readonly title: string | null;
  readonly lastActiveAt: Date;
}

/** Lists the threads of one person or of everybody, newest first. */
export function listThreads(
  db: Queryable,
  filter: { readonly userKey: string | null; readonly limit: number },
): Promise<readonly ThreadRow[]> {
  return listRows<ThreadRow>(db)`
    select thread_id as "threadId", user_key as "userKey", status, awaiting, title, last_active_at as "lastActiveAt"
       from threads where ${filter.userKey}::text is null or user_key = ${filter.userKey} order by last_active_at desc limit ${filter.limit}`;
}

/** True when the agent of a conversation has asked a question and waits for the answer. */
export function isAwaitingReply(db: Queryable, threadId: string): Promise<boolean> {
  return hasRow(db)`select 1 from threads where thread_id = ${threadId} and status = 'open'
      and awaiting`;
}
