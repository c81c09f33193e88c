import type { Role } from '@signalbox/contracts/governance/roles';
import type { Log } from '@signalbox/platform/log';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findPerson, linkIdentity, unlinkIdentity } from '@signalbox/store/people/identities';
import { allowUser, denyUser, findUser } from '@signalbox/store/people/users';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { listValues, sql } from '@signalbox/store/sql';
import { toUserKey } from './chat-key.ts';
import type { Account, Source } from './sources.ts';

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
    for (const { name, account } of sources) {
      const role = await register(db, name, account);
      // The source is refused until then; the others work.
      if (role === null) log.warn('ingress source without a role', { source: name, account });
    }
  });
}

/**
 * Whether a source may write now. It may not once its person lost their role, or an admin took its account away; a program that somebody
 * made an admin may not either.
 */
export async function mayWrite(db: Queryable, { name, account }: Source): Promise<boolean> {
  const role = (await findUser(db, toUserKey(name)))?.role;
  return role !== undefined && !(account.kind === 'service' && role === 'admin');
}

async function register(db: Queryable, name: string, account: Account): Promise<Role | null> {
  const userKey = toUserKey(name);
  const before = await findUser(db, userKey);
  const { person } = await findPerson(db, userKey);
  if (account.kind === 'service') {
    // A change of role is one of the whole person: an account that was somebody's is not theirs any more.
    if (before && person !== userKey) await remove(db, userKey);
    await allowUser(db, { userKey, channel: 'ingress', name: account.name, role: account.role });
    await db.query(sql`update users set is_program = true where user_key = ${userKey} and not is_program`);
    if (before?.role !== account.role || person !== userKey)
      await record(db, userKey, { to: account.role, from: person === userKey ? (before?.role ?? null) : null });
    return account.role;
  }
  const { person: wanted } = await findPerson(db, account.userKey);
  if (before && person !== wanted) await remove(db, userKey);
  const role = await linkIdentity(db, { userKey, channel: 'ingress', name, isProgram: true }, wanted);
  if (role !== null && (before === null || person !== wanted))
    await record(db, userKey, { from: null, to: role, actsFor: wanted });
  return role;
}

async function remove(db: Queryable, userKey: string): Promise<void> {
  const role = (await findUser(db, userKey))?.role ?? null;
  // An identity is taken away by itself: its person keeps their role.
  const isUnlinked = await unlinkIdentity(db, userKey, userKey);
  if (!isUnlinked) await denyUser(db, userKey, true);
  await record(db, userKey, { from: role, to: null });
}

function record(db: Queryable, userKey: string, data: Readonly<Record<string, string | null>>): Promise<void> {
  return appendAudit(db, [
    { kind: 'role.changed', actor: 'system', data: { person: userKey, by: 'ingress', ...data } },
  ]);
}
