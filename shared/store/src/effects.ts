import type { Queryable } from './pool.ts';
import { findRow, sql } from './sql.ts';

/** Reads the effect that an action marked as done; null when it marked none. */
export function findEffect(db: Queryable, actionId: string): Promise<{ readonly result: unknown } | null> {
  return findRow<{ result: unknown }>(db)`select result from action_effects
      where action_id = ${actionId}`;
}

/**
 * Marks the writes of this transaction as the effect of an action, for tables without an action id. Throws when the action was already
 * settled as failed.
 */
export async function noteEffect(db: Queryable, actionId: string, result: unknown = null): Promise<void> {
  await db.query(sql`select effect_note(${actionId}, ${result === null ? null : JSON.stringify(result)}::jsonb)`);
}
