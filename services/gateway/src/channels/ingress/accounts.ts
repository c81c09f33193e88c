import type { Role } from '@signalbox/contracts/governance/roles';
import type { Log } from '@signalbox/platform/log';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findPerson, linkIdentity, unlinkIdentity } from '@signalbox/store/people/identities';
import { isRevokedProgram, restoreOtherPrograms, restoreProgram } from '@signalbox/store/people/revoked-programs';
import { allowUser, denyUser, findUser } from '@signalbox/store/people/users';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findRow, listValues, sql } from '@signalbox/store/sql';
import { toUserKey } from './chat-key.ts';
import type { Account, Source } from './sources.ts';

/*
 * The file says who may write, and the chat says who may not any more:
 *   in the file                                      its account is made at the start
 *   its person loses their role                      refused · the role comes back: its account is made with the next request
 *   its account is taken away (/link remove, /deny)  refused, also after a start, until the file names another account, or leaves it
 *                                                    out for one start
 */

/** Of gateways that start at once, one after the other makes the rows. */
const ONE_AT_A_TIME = sql`select pg_advisory_xact_lock(hashtextextended('ingress sources', 0))`;

/**
 * Makes the rows of users what the file says: each source gets its role, or that of its person, and who is not in the file any more
 * loses it. What changed is recorded in the audit. Twice is once.
 */
export async function registerSources(pool: Pool, sources: readonly Source[], log: Log): Promise<void> {
  await withTransaction(pool, async (db) => {
    await db.query(ONE_AT_A_TIME);
    const known = await listValues<string>(db)`select user_key from users where channel = 'ingress' order by user_key`;
    const named = new Set(sources.map(({ name }) => toUserKey(name)));
    for (const userKey of known) if (!named.has(userKey)) await remove(db, userKey);
    await restoreOtherPrograms(db, 'ingress', [...named]);
    for (const { name, account } of sources) {
      const role = await register(db, name, account);
      // The source is refused until then; the others work.
      if (role === null) log.warn('ingress source without a role', { source: name, account });
    }
  });
}

/**
 * Whether a source may write now. It may not once its person lost their role, or somebody took its account away; a program that somebody
 * made an admin may not either.
 */
export async function mayWrite(pool: Pool, { name, account }: Source): Promise<boolean> {
  const userKey = toUserKey(name);
  const row = await findRow<{ role: Role; isProgram: boolean }>(pool)`
    select role, is_program as "isProgram" from users where user_key = ${userKey}`;
  if (row === null) return account.kind === 'person' && (await makeAgain(pool, name, account));
  // An admin who lets it in again does not say that it is one.
  if (!row.isProgram) await markProgram(pool, userKey);
  return !(account.kind === 'service' && row.role === 'admin');
}

/** Makes the account of a source whose person may have their role again. */
function makeAgain(pool: Pool, name: string, account: Account): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    await db.query(ONE_AT_A_TIME);
    return (await register(db, name, account)) !== null;
  });
}

async function register(db: Queryable, name: string, account: Account): Promise<Role | null> {
  const userKey = toUserKey(name);
  const before = await findUser(db, userKey);
  const { person } = await findPerson(db, userKey);
  const wanted = account.kind === 'service' ? userKey : (await findPerson(db, account.userKey)).person;
  if (before === null && (await isRevokedProgram(db, userKey, wanted))) return null;
  // A change of role is one of the whole person: an account that was somebody's is not theirs any more.
  const isMoved = before !== null && person !== wanted;
  if (isMoved) await remove(db, userKey);
  await restoreProgram(db, userKey);
  if (account.kind === 'service') {
    await allowUser(db, { userKey, channel: 'ingress', name: account.name, role: account.role });
    await markProgram(db, userKey);
    if (before?.role !== account.role || isMoved)
      await record(db, userKey, { to: account.role, from: isMoved ? null : (before?.role ?? null) });
    return account.role;
  }
  const role = await linkIdentity(db, { userKey, channel: 'ingress', name, isProgram: true }, wanted);
  if (role !== null && (before === null || isMoved))
    await record(db, userKey, { from: null, to: role, actsFor: wanted });
  return role;
}

async function markProgram(db: Queryable, userKey: string): Promise<void> {
  await db.query(sql`update users set is_program = true where user_key = ${userKey} and not is_program`);
}

async function remove(db: Queryable, userKey: string): Promise<void> {
  const role = (await findUser(db, userKey))?.role ?? null;
  // An identity is taken away by itself: its person keeps their role.
  const isUnlinked = await unlinkIdentity(db, userKey, userKey);
  const factsForgotten = isUnlinked ? 0 : (await denyUser(db, userKey, true)).factsForgotten;
  // It is the file that takes it away, and so the file may give it again.
  await restoreProgram(db, userKey);
  await record(db, userKey, { from: role, to: null, factsForgotten });
}

function record(db: Queryable, userKey: string, data: Readonly<Record<string, string | number | null>>): Promise<void> {
  return appendAudit(db, [
    { kind: 'role.changed', actor: 'system', data: { person: userKey, by: 'ingress', ...data } },
  ]);
}
