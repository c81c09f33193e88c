import type { Queryable } from './pool.ts';
import { findRow, sql } from './sql.ts';

/** Reads the effect mark that an action wrote; null without one. */
export function findEffect(db: Queryable, actionId: string): Promise<{ readonly result: unknown } | null> {
  return findRow<{ result: unknown }>(db)`select result from action_effects
      where action_id = ${actionId}`;
}

/**
 * Marks the writes of this transaction as the effect of an action, for tables without an action id. Throws when the action was settled as
 * failed.
 */
export async function noteEffect(db: Queryable, actionId: string, result: unknown = null): Promise<void> {
  await db.query(sql`select effect_note(${actionId}, ${result === null ? null : JSON.stringify(result)}::jsonb)`);
}
