import type { Role } from '@signalbox/contracts/governance/roles';
import type { Log } from '@signalbox/platform/log';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findPerson, linkIdentity, unlinkIdentity } from '@signalbox/store/people/identities';
import { isRevokedProgram, restoreOtherPrograms, restoreProgram } from '@signalbox/store/people/revoked-programs';
import { grantUserRole, removeUser, findUser } from '@signalbox/store/people/users';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findRow, listValues, sql } from '@signalbox/store/sql';
import { toUserKey } from './chat-key.ts';
import type { SourceAccount, IngressSource } from './sources.ts';

/*
 * The sources file says which programs may write; people may revoke that in a chat:
 *
 * source in the file: its account is created at startup
 * its person loses their role: refused; the account is created with the next request after the person has a role again
 * account removed (/link remove, /deny): refused, also after a restart, until the file names another account or omits
 * the source for one start
 */

/** Gateways that start together update the rows one after the other. */
const LOCK_SOURCES = sql`select pg_advisory_xact_lock(hashtextextended('ingress sources', 0))`;

/** Gives each source of the file its role, or its person's; a source no longer in the file loses its role. Audited. Idempotent. */
export async function registerSources(pool: Pool, sources: readonly IngressSource[], log: Log): Promise<void> {
  await withTransaction(pool, async (db) => {
    await db.query(LOCK_SOURCES);
    const known = await listValues<string>(db)`select user_key from users where channel = 'ingress' order by user_key`;
    const named = new Set(sources.map(({ name }) => toUserKey(name)));
    for (const userKey of known) if (!named.has(userKey)) await removeAccount(db, userKey);
    await restoreOtherPrograms(db, 'ingress', [...named]);
    for (const { name, account } of sources) {
      const role = await registerSource(db, name, account);
      // A source without a role is refused; the others work.
      if (role === null) log.warn('ingress source without a role', { source: name, account });
    }
  });
}

/** True when the source may write: it or its person has a role, its account was not removed, and nobody made it an admin. */
export async function canWrite(pool: Pool, { name, account }: IngressSource): Promise<boolean> {
  const userKey = toUserKey(name);
  const row = await findRow<{ role: Role; isProgram: boolean }>(pool)`
    select role, is_program as "isProgram" from users where user_key = ${userKey}`;
  if (row === null) return account.kind === 'person' && (await recreateAccount(pool, name, account));
  // When an admin adds the account again, the row does not say that it is a program.
  if (!row.isProgram) await markProgram(pool, userKey);
  return !(account.kind === 'service' && row.role === 'admin');
}

function recreateAccount(pool: Pool, name: string, account: SourceAccount): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    await db.query(LOCK_SOURCES);
    return (await registerSource(db, name, account)) !== null;
  });
}

async function registerSource(db: Queryable, name: string, account: SourceAccount): Promise<Role | null> {
  const userKey = toUserKey(name);
  const before = await findUser(db, userKey);
  const { person } = await findPerson(db, userKey);
  const wantedPerson = account.kind === 'service' ? userKey : (await findPerson(db, account.userKey)).person;
  if (before === null && (await isRevokedProgram(db, userKey, wantedPerson))) return null;
  // Roles belong to whole persons, so an account of another person is removed first.
  const isMoved = before !== null && person !== wantedPerson;
  if (isMoved) await removeAccount(db, userKey);
  await restoreProgram(db, userKey);
  if (account.kind === 'service') {
    await grantUserRole(db, { userKey, channel: 'ingress', name: account.name, role: account.role });
    await markProgram(db, userKey);
    if (before?.role !== account.role || isMoved)
      await auditRole(db, userKey, { to: account.role, from: isMoved ? null : (before?.role ?? null) });
    return account.role;
  }
  const role = await linkIdentity(db, { userKey, channel: 'ingress', name, isProgram: true }, wantedPerson);
  if (role !== null && (before === null || isMoved))
    await auditRole(db, userKey, { from: null, to: role, actsFor: wantedPerson });
  return role;
}

async function markProgram(db: Queryable, userKey: string): Promise<void> {
  await db.query(sql`update users set is_program = true where user_key = ${userKey} and not is_program`);
}

async function removeAccount(db: Queryable, userKey: string): Promise<void> {
  const role = (await findUser(db, userKey))?.role ?? null;
  // When the account is only unlinked, its person keeps their role and memory.
  const isUnlinked = await unlinkIdentity(db, userKey, userKey);
  const factsForgotten = isUnlinked ? 0 : (await removeUser(db, userKey, true)).factsForgotten;
  // Removed by the file, the account may be added by the file again.
  await restoreProgram(db, userKey);
  await auditRole(db, userKey, { from: role, to: null, factsForgotten });
}

function auditRole(
  db: Queryable,
  userKey: string,
  data: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  return appendAudit(db, [
    { kind: 'role.changed', actor: 'system', data: { person: userKey, by: 'ingress', ...data } },
  ]);
}
