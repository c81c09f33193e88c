import type { Queryable } from '../pool.ts';
import { listRows, listValues } from '../sql.ts';

/** A person who can be reached, and their chat. */
export interface Recipient {
  readonly userKey: string;
  readonly chatKey: string;
  readonly isPrivate: boolean;
}

/**
 * Finds the people among these who can be reached, in order and each once: in their private chat if they ever wrote there, else in the
 * chat where they wrote last. Leaves out people without a role, programs, and parked chats.
 */
export function findRecipients(db: Queryable, people: readonly string[]): Promise<readonly Recipient[]> {
  return listRows<Recipient>(db)`
    select user_key as "userKey", chat_key as "chatKey", is_private as "isPrivate" from find_recipients(${[...people]}::text[])`;
}

/** Lists the accounts of all admins, oldest first. */
export function listAdmins(db: Queryable): Promise<readonly string[]> {
  return listValues<string>(db)`
    select user_key from users where role = 'admin' and not is_program order by created_at, user_key limit 100`;
}
