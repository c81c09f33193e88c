import type { Role } from '@signalbox/contracts/governance/roles';
import { findWhose, forgetMemory } from '../memory/facts.ts';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, listRows, listValues } from '../sql.ts';
import { revokeProgram } from './revoked-programs.ts';
import { restoreAccount } from './vacated-accounts.ts';

export interface User {
  readonly userKey: string;
  readonly channel: string;
  readonly name: string;
  readonly role: Role;
}

/** Everybody who may speak, oldest first. */
export function listUsers(db: Queryable): Promise<readonly User[]> {
  return listRows<User>(db)`select user_key as "userKey", channel, name, role from users order by created_at, user_key`;
}

/** Everybody who may speak, with when they wrote last; the newest first. Null: never. */
export function listUsersSeen(
  db: Queryable,
  limit: number,
): Promise<readonly (User & { readonly lastSeen: Date | null })[]> {
  return listRows<User & { lastSeen: Date | null }>(db)`
    select u.user_key as "userKey", u.channel, u.name, u.role, i.received_at as "lastSeen" from users u
       left join lateral (select x.received_at from inbox x where x.user_key = u.user_key and x.channel <> 'system' and x.channel <> 'jobs'
                           order by x.id desc limit 1) i on true
      order by i.received_at desc nulls last, u.user_key limit ${limit}`;
}

/** What became of a change of roles. `last admin`: refused, because nobody could let others in any more. */
export type RoleChange = 'added' | 'changed' | 'same' | 'last admin';

/** Lets a person in, or gives them another role, unless it would leave no admin; `force` does it all the same. A null name keeps the known one. */
export async function allowUser(
  db: Queryable,
  user: Omit<User, 'name'> & { readonly name: string | null },
  force = false,
): Promise<RoleChange> {
  return findValue<RoleChange>(db, 'same')`select user_allow(${user.userKey}, ${user.channel},
      ${user.name}, ${user.role}, ${force}) as change`;
}

/** What became of taking a role away, and how many facts were forgotten with it. */
export interface Denial {
  readonly change: 'removed' | 'stranger' | 'last admin';
  readonly factsForgotten: number;
}

/**
 * Makes a person a stranger again, unless they are the only admin; `force` does it all the same. Their memory goes with their access:
 * should they come back, nothing is known of them. The account of a program that acted for itself stays away. In a transaction.
 */
export async function denyUser(db: Queryable, userKey: string, force = false): Promise<Denial> {
  // One whose owner may have changed is taken away like any other, and what was kept back for it stays so.
  await restoreAccount(db, userKey, false);
  const isService = await findValue<boolean>(db, false)`
    select is_program and person = user_key from users where user_key = ${userKey}`;
  // Whoever has no role is nobody's account any more.
  const whose = await findWhose(db, userKey);
  const change = await findValue<Denial['change']>(db, 'stranger')`select user_deny(${userKey}, ${force})`;
  if (change !== 'removed') return { change, factsForgotten: 0 };
  if (isService) await revokeProgram(db, userKey, userKey);
  return { change, factsForgotten: await forgetMemory(db, whose) };
}

/** One person who may speak, or null. */
export function findUser(db: Queryable, userKey: string): Promise<User | null> {
  return findRow<User>(db)`select user_key as "userKey", channel, name, role from users
      where user_key = ${userKey}`;
}

/** Answers a person in this language from now on; null: in that of their client. Returns what they read now, null when nobody knows. */
export async function chooseLanguage(db: Queryable, userKey: string, code: string | null): Promise<string | null> {
  return findValue<string>(db)`update users set language = ${code}
      where user_key = ${userKey} returning coalesce(language, client_language) as language`;
}

/** What reads whoever is written to: a person, or the person of a private chat. Null for groups and when nobody knows. */
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
