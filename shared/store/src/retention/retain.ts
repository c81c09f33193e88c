import type { Queryable } from '../pool.ts';
import { findValue } from '../sql.ts';

/** What retention deletes or shortens, in this order: see 138_retention.sql. */
export const RETAINED = ['checkpoints', 'conversations', 'messages', 'replies', 'pages', 'work'] as const;
export type Retained = (typeof RETAINED)[number];

/**
 * Deletes or shortens at most `batch` rows of one kind that are older than `days`, in one short transaction, and returns how many. Audit
 * events, and the keys that let an effect happen once, stay. Idempotent. The database refuses fewer than 7 days.
 */
export function runRetentionStep(db: Queryable, what: Retained, days: number, batch: number): Promise<number> {
  return findValue(db, 0)`select retain(${what}, ${days}, ${batch})`;
}

/** Returns the conversation of this id or turn when retention deleted it: only the audit still knows it. Null otherwise. */
export function findDeletedConversation(db: Queryable, id: string): Promise<string | null> {
  return findValue<string>(db)`
    select e.thread_id from audit_events e
     where e.kind = 'turn.recorded' and (e.thread_id = ${id} or e.turn_id = ${id})
       and not exists (select from threads t where t.thread_id = e.thread_id) limit 1`;
}

/** True for a table of the audit, of which nothing is ever deleted. */
export function isKeptWhole(table: string): boolean {
  return table.startsWith('audit_');
}
