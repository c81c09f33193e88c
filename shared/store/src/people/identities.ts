import type { Role } from '@signalbox/contracts/governance/roles';
import { createTypedCode } from '@signalbox/contracts/ids';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, listRows, listValues, sql } from '../sql.ts';
import { hashAccessCode } from './access-code.ts';
import { revokeProgram } from './revoked-programs.ts';

/*
 * A person may write from several accounts. Each account is an identity with its own key; all share one role, and governance counts them
 * as one person. `person` is the key of the first identity, which cannot be unlinked.
 */

export const IDENTITY_CODE_TTL_MS = 10 * MINUTE_MS;

/** The person who asked for a code, with their role. */
export interface IdentityCodeOwner {
  readonly userKey: string;
  readonly person: string;
  readonly name: string;
  readonly role: Role;
}

/** One account of a person. */
export interface Identity {
  readonly userKey: string;
  readonly channel: string;
  readonly name: string;
  readonly isProgram: boolean;
  /** True for the account to which the person's other accounts were linked. */
  readonly isFirst: boolean;
}

/** An account that is to be linked to a person. */
export interface NewIdentity {
  readonly userKey: string;
  readonly channel: string;
  readonly name: string;
  /** True for the account of a program, which never approves. */
  readonly isProgram?: boolean;
}

/** Creates a one-time code that links another account to this person within ten minutes. Only its hash is stored. */
export async function createIdentityCode(db: Queryable, userKey: string): Promise<string> {
  const code = createTypedCode(3);
  await db.query(sql`delete from identity_codes where expires_at < now() - interval '1 day'`);
  await db.query(sql`insert into identity_codes (code_hash, person, made_by, expires_at)
    values (${hashAccessCode(code)}, person_of(${userKey}), ${userKey}, now() + ${IDENTITY_CODE_TTL_MS} * interval '1 ms')`);
  return code;
}

/** Finds and locks the owner of a code; null when the code is unknown, used or expired, or its owner has no role. */
export function findIdentityCode(db: Queryable, code: string): Promise<IdentityCodeOwner | null> {
  return findRow<IdentityCodeOwner>(db)`
    select c.made_by as "userKey", c.person, u.name, u.role from identity_codes c join users u on u.user_key = c.made_by
     where c.code_hash = ${hashAccessCode(code)} and c.used_at is null and c.expires_at > now() for update of c`;
}

/** Uses a code up, in the caller's transaction. Null, with nothing written, when `findIdentityCode` finds no owner. */
export async function redeemLinkCode(
  db: Queryable,
  code: string,
  usedBy: string | null = null,
): Promise<IdentityCodeOwner | null> {
  const owner = await findIdentityCode(db, code);
  if (owner === null) return null;
  await db.query(
    sql`update identity_codes set used_at = now(), used_by = ${usedBy} where code_hash = ${hashAccessCode(code)}`,
  );
  return owner;
}

/** Invalidates a code that other people have seen. False when the text is no code. */
export async function voidIdentityCode(db: Queryable, code: string): Promise<boolean> {
  return (await redeemLinkCode(db, code)) !== null;
}

/**
 * Links an account to a person, with the person's role and language; idempotent except for the name. Returns the role. Null when the
 * person has no role, or the account belongs to another person, whose requests would move along.
 */
export function linkIdentity(db: Queryable, identity: NewIdentity, person: string): Promise<Role | null> {
  const { userKey, channel, name, isProgram = false } = identity;
  return findValue<Role>(db)`
    insert into users (user_key, channel, name, role, person, language, client_language, is_program)
    select ${userKey}, ${channel}, ${name}, u.role, u.person, u.language, u.client_language, ${isProgram}
      from users u where u.person = ${person} order by u.user_key <> ${person}, u.created_at limit 1
    on conflict (user_key) do update set name = excluded.name where users.person = excluded.person
    returning role`;
}

/** Lists all accounts of the person who owns this account, the first account first. */
export function listIdentities(db: Queryable, userKey: string): Promise<readonly Identity[]> {
  return listRows<Identity>(db)`
    select user_key as "userKey", channel, name, is_program as "isProgram", user_key = person as "isFirst" from users
     where person = person_of(${userKey}) order by user_key <> person, created_at, user_key`;
}

/**
 * Unlinks an account from the owner of another account, in the caller's transaction. False when it belongs to somebody else or is their
 * first account. A program's account stays unlinked at later starts.
 */
export async function unlinkIdentity(db: Queryable, userKey: string, of: string): Promise<boolean> {
  const removed = await findRow<{ person: string; isProgram: boolean }>(db)`
    delete from users where user_key = ${userKey} and person = person_of(${of}) and user_key <> person
    returning person, is_program as "isProgram"`;
  if (removed?.isProgram) await revokeProgram(db, userKey, removed.person);
  return removed !== null;
}

/** Returns the persons who own these accounts, each once; an account without a role is its own person. */
export async function findPersons(db: Queryable, userKeys: readonly string[]): Promise<readonly string[]> {
  return (await findValue<readonly string[]>(db)`select persons_of(${[...userKeys]})`) ?? [];
}

/** Lists all accounts of the person who owns this account, including this one. */
export function listAccounts(db: Queryable, userKey: string): Promise<readonly string[]> {
  return listValues<string>(db)`select ${userKey}::text union
      select u.user_key from users u join users me using (person) where me.user_key = ${userKey}`;
}

export async function findPerson(
  db: Queryable,
  userKey: string,
): Promise<{ readonly person: string; readonly isProgram: boolean }> {
  const row = await findRow<{ person: string; isProgram: boolean }>(db)`
    select person, is_program as "isProgram" from users where user_key = ${userKey}`;
  return row ?? { person: userKey, isProgram: false };
}
