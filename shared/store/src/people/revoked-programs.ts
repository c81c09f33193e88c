import type { Queryable } from '../pool.ts';
import { putSetting } from '../settings.ts';
import { findValue, sql } from '../sql.ts';

/*
 * A program has its account from a file, which is read at each start. What people take away must not come back with the next start: it is
 * remembered for the person whom the program acted for, or for the program itself, until the file names somebody else or leaves it out.
 */

const KEY = 'revoked_program:';

/** Remembers that a program's account was taken away from this person; a service account is its own person. Twice is once. */
export function revokeProgram(db: Queryable, userKey: string, person: string): Promise<void> {
  return putSetting(db, `${KEY}${userKey}`, sql`to_jsonb(${person}::text)`);
}

/** Whether a program's account was taken away from this person, and the file has said nothing else since. */
export function isRevokedProgram(db: Queryable, userKey: string, person: string): Promise<boolean> {
  return findValue<boolean>(
    db,
    false,
  )`select true from settings where key = ${`${KEY}${userKey}`} and value = to_jsonb(${person}::text)`;
}

/** Forgets that a program's account was taken away. */
export async function restoreProgram(db: Queryable, userKey: string): Promise<void> {
  await db.query(sql`delete from settings where key = ${`${KEY}${userKey}`}`);
}

/** Forgets it for all programs of a channel but these. */
export async function restoreOtherPrograms(db: Queryable, channel: string, userKeys: readonly string[]): Promise<void> {
  const keys = userKeys.map((userKey) => `${KEY}${userKey}`);
  await db.query(sql`delete from settings where starts_with(key, ${`${KEY}${channel}-`}) and key <> all (${keys})`);
}
