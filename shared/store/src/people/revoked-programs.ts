import type { Queryable } from '../pool.ts';
import { putSetting } from '../settings.ts';
import { findValue, sql } from '../sql.ts';

/*
 * A program gets its account from a file that is read at each start. A removed account must not return at the next start, so its removal
 * is stored for the program's person, or for the program itself, until the file names another person or drops the program.
 */

const KEY = 'revoked_program:';

/** Records that a program's account was removed from this person; a service account is its own person. Idempotent. */
export function revokeProgram(db: Queryable, userKey: string, person: string): Promise<void> {
  return putSetting(db, `${KEY}${userKey}`, sql`to_jsonb(${person}::text)`);
}

/** True when a program's account was removed from this person, and the file still names the same person. */
export function isRevokedProgram(db: Queryable, userKey: string, person: string): Promise<boolean> {
  return findValue<boolean>(db, false)`
    select true from settings where key = ${`${KEY}${userKey}`} and value = to_jsonb(${person}::text)`;
}

/** Deletes the record that a program's account was removed. */
export async function restoreProgram(db: Queryable, userKey: string): Promise<void> {
  await db.query(sql`delete from settings where key = ${`${KEY}${userKey}`}`);
}

/** Deletes the records of removed programs of a channel, except for these programs. */
export async function restoreOtherPrograms(db: Queryable, channel: string, userKeys: readonly string[]): Promise<void> {
  const keys = userKeys.map((userKey) => `${KEY}${userKey}`);
  await db.query(sql`delete from settings where starts_with(key, ${`${KEY}${channel}-`}) and key <> all (${keys})`);
}
