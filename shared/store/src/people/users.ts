import type { Role } from '@signalbox/contracts/governance/roles';
import { findMemoryOwner, forgetMemory } from '../memory/facts.ts';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, listValues } from '../sql.ts';
import { revokeProgram } from './revoked-programs.ts';
import { restoreAccount } from './vacated-accounts.ts';

export interface User {
  readonly userKey: string;
  readonly channel: string;
  readonly name: string;
  readonly role: Role;
}

/** Lists all people with a role, oldest first. */
export function listUsers(db: Queryable): Promise<readonly User[]> {
  return listRows<User>(db)`select user_key as "userKey", channel, name, role from users order by created_at, user_key`;
}

/** Lists all people with a role, last active first, with the time of their last message (null: never). */
export function listUsersByActivity(db: Queryable, limit: number) {
  return listRows<User & { lastSeen: Date | null }>(db)`
    select u.user_key as "userKey", u.channel, u.name, u.role, i.received_at as "lastSeen" from users u
       left join lateral (select x.received_at from inbox x where x.user_key = u.user_key and x.channel <> 'system' and x.channel <> 'jobs'
                           order by x.id desc limit 1) i on true
      order by i.received_at desc nulls last, u.user_key limit ${limit}`;
}

/** Outcome of a role change. `last admin`: refused, because no admin would be left to invite people. */
export type RoleChange = 'added' | 'changed' | 'same' | 'last admin';

/** Gives a person a role, unless no admin would be left; `force` skips the check. With a null name the known name is kept. */
export function grantUserRole(
  db: Queryable,
  user: Omit<User, 'name'> & { readonly name: string | null },
  force = false,
): Promise<RoleChange> {
  return findValue<RoleChange>(db, 'same')`select user_allow(${user.userKey}, ${user.channel},
      ${user.name}, ${user.role}, ${force}) as change`;
}

/** Outcome of removing a role, with the number of facts that were forgotten. */
export interface UserRemoval {
  readonly change: 'removed' | 'stranger' | 'last admin';
  readonly factsForgotten: number;
}

/**
 * Removes a person's role and memory, unless they are the only admin; `force` skips the check. The account of a program stays removed at
 * later starts. Runs in the caller's transaction.
 */
export async function removeUser(db: Queryable, userKey: string, force = false): Promise<UserRemoval> {
  // A vacated account is removed too; its held messages are not released.
  await restoreAccount(db, userKey, false);
  const isService = await findValue<boolean>(db, false)`
    select is_program and person = user_key from users where user_key = ${userKey}`;
  // After its role is removed, an account belongs to no person.
  const whose = await findMemoryOwner(db, userKey);
  const change = await findValue<UserRemoval['change']>(db, 'stranger')`select user_deny(${userKey}, ${force})`;
  if (change !== 'removed') return { change, factsForgotten: 0 };
  if (isService) await revokeProgram(db, userKey, userKey);
  return { change, factsForgotten: await forgetMemory(db, whose) };
}

/** Finds a user by key; null for a person without a role. */
export function findUser(db: Queryable, userKey: string): Promise<User | null> {
  return findRow<User>(db)`select user_key as "userKey", channel, name, role from users
      where user_key = ${userKey}`;
}

/** Sets the language of answers to a person; null: their client's. Returns the language that now applies; null when unknown. */
export function setUserLanguage(db: Queryable, userKey: string, code: string | null): Promise<string | null> {
  return findValue<string>(db)`update users set language = ${code}
      where user_key = ${userKey} returning coalesce(language, client_language) as language`;
}

/** Sets the language in which a person writes, unless they have one by now. True when it was set. */
export function setWrittenLanguage(db: Queryable, userKey: string, code: string): Promise<boolean> {
  return hasRow(db)`update users set language = ${code}
      where user_key = ${userKey} and language is null and not is_program returning true`;
}

/** Reads the language of each person, or of the person of each private chat. Null for groups and when unknown. */
export function readLanguages(
  db: Queryable,
  readers: readonly { readonly userKey: string | null; readonly chatKey: string }[],
): Promise<readonly (string | null)[]> {
  return listValues<string | null>(db)`
    select user_language(coalesce(r.user_key, u.user_key)) as language
       from unnest(${readers.map(({ userKey }) => userKey)}::text[],
         ${readers.map(({ chatKey }) => chatKey)}::text[]) with ordinality as r (user_key, chat_key, place)
       left join users u on private_chat(u.user_key) = r.chat_key
      order by r.place`;
}
