import type { Queryable } from '../pool.ts';
import { listRows, listValues } from '../sql.ts';

/** Somebody who can be written to, and where. */
export interface Recipient {
  readonly userKey: string;
  readonly chatKey: string;
  readonly isPrivate: boolean;
}

/**
 * Those of these people who can be written to, in their order and each person once: in private if they ever wrote there, else where they
 * wrote last. People without a role, programs, and chats that do not take our messages are left out.
 */
export function findRecipients(db: Queryable, people: readonly string[]): Promise<readonly Recipient[]> {
  return listRows<Recipient>(db)`
    select user_key as "userKey", chat_key as "chatKey", is_private as "isPrivate" from find_recipients(${[...people]}::text[])`;
}

/** The accounts of all admins, the oldest first. */
export function listAdmins(db: Queryable): Promise<readonly string[]> {
  return listValues<string>(db)`
    select user_key from users where role = 'admin' and not is_program order by created_at, user_key limit 100`;
}
