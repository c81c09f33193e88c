import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '@signalbox/contracts/governance/roles';
import { HOUR_MS } from '@signalbox/contracts/time';
import { linkIdentity, redeemLinkCode } from '@signalbox/store/people/identities';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findRow, hasRow, listRows, listValues, sql } from '@signalbox/store/sql';
import { toUserKey } from '../chat-key.ts';

/** How long a browser stays signed in without use. */
export const LOGIN_TTL_MS = 30 * 24 * HOUR_MS;
/** The most logins per person; the oldest are signed out. */
const MAX_LOGINS = 20;

/** The person signed in at a browser. */
export interface Login {
  readonly hash: string;
  /** The person's web identity. */
  readonly userKey: string;
  readonly person: string;
  readonly name: string;
  readonly role: Role;
}

/** A person whom visitors may choose on a local machine. */
export interface DemoPerson {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Tokens are stored as hashes, so that reading the database reveals none and look-ups leak no timing. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Redeems a sign-in code and returns a new token, or null without saying why. `replaced` is a former login of this browser. */
export function signInWithCode(pool: Pool, code: string, replaced: string | null): Promise<string | null> {
  return withTransaction(pool, async (db) => {
    const owner = await redeemLinkCode(db, code);
    return owner && startLogin(db, owner, replaced);
  });
}

/** Signs in as a chosen demo person. Null when the id is unknown. */
export function signInAs(pool: Pool, id: string, replaced: string | null): Promise<string | null> {
  return withTransaction(pool, async (db) => {
    const chosen = (await listDemoPeople(db)).find((person) => person.id === id);
    return chosen ? startLogin(db, { person: chosen.id, name: chosen.name }, replaced) : null;
  });
}

/** Lists everybody who can be chosen, each person once. */
export function listDemoPeople(db: Queryable): Promise<readonly DemoPerson[]> {
  return listRows<DemoPerson>(db)`
    select user_key as id, name, role from users where user_key = person and not is_program order by created_at, user_key limit 100`;
}

/** The login of this token; null when the token is unknown or expired. */
export function findLogin(db: Queryable, token: string): Promise<Login | null> {
  return findRow<Login>(db, 'web_login')`
    select l.token_hash as hash, u.user_key as "userKey", u.person, u.name, u.role
      from web_logins l join users u on u.user_key = l.user_key
     where l.token_hash = ${hashToken(token)} and l.expires_at > now()`;
}

/** Renews a login that is more than a day old. True when it did. */
export function renewLogin(db: Queryable, hash: string): Promise<boolean> {
  return hasRow(db)`
    update web_logins set expires_at = now() + ${LOGIN_TTL_MS} * interval '1 ms'
     where token_hash = ${hash} and expires_at between now() and now() + ${LOGIN_TTL_MS - 24 * HOUR_MS} * interval '1 ms'`;
}

/** Signs a browser out. Idempotent. */
export async function endLogin(db: Queryable, hash: string): Promise<void> {
  await db.query(sql`delete from web_logins where token_hash = ${hash}`);
}

/** Which of these logins have ended: signed out, expired, or without a role. */
export function listEndedLogins(db: Queryable, hashes: readonly string[]): Promise<readonly string[]> {
  return listValues<string>(db, 'web_ended')`
    select h from unnest(${hashes}::text[]) h
     where not exists (select from web_logins l where l.token_hash = h and l.expires_at > now())`;
}

async function startLogin(
  db: Queryable,
  { person, name }: { readonly person: string; readonly name: string },
  replaced: string | null,
): Promise<string | null> {
  const userKey = toUserKey(person);
  const role = await linkIdentity(db, { userKey, channel: 'web', name }, person);
  if (role === null) return null;
  const token = randomBytes(32).toString('base64url');
  await db.query(sql`
    delete from web_logins where expires_at < now() or token_hash = ${replaced} or token_hash in (
      select token_hash from web_logins where user_key = ${userKey} order by created_at desc offset ${MAX_LOGINS - 1})`);
  await db.query(sql`
    insert into web_logins (token_hash, user_key, expires_at)
    values (${hashToken(token)}, ${userKey}, now() + ${LOGIN_TTL_MS} * interval '1 ms')`);
  return token;
}
