import { createTypedCode } from '@signalbox/contracts/ids';
import { toForgeAccount, type GateForge } from '@signalbox/contracts/operations/gate';
import { appendAudit } from '../audit/audit.ts';
import type { Queryable } from '../pool.ts';
import { findRow, hasRow, sql } from '../sql.ts';
import { hashAccessCode } from './access-code.ts';
import { findPerson, IDENTITY_CODE_TTL_MS, linkIdentity } from './identities.ts';
import { restoreProgram } from './revoked-programs.ts';

/*
 * An account at a forge is an identity that speaks for nobody: it gets no messages and decides nothing. It only says who asks for a gate.
 * The person names the login, and the login writes the code: a code that somebody else copies or is tricked into writing links nothing.
 */

/** A comment at a forge, as its signed webhook reports it. */
export interface ForgeComment {
  readonly forge: GateForge;
  readonly account: { readonly id: number; readonly login: string };
  readonly code: string;
}

/** What became of a code that its login wrote. `taken`: the account belongs to another person here. */
export interface UsedForgeCode {
  readonly outcome: 'linked' | 'taken';
  readonly userKey: string;
  readonly chatKey: string;
}

/** True when a source exists from which the forge could report a comment. */
export function hasForgeSource(db: Queryable, forge: GateForge): Promise<boolean> {
  return hasRow(
    db,
  )`select 1 from alarm_sources s join users u on u.user_key = 'ingress-' || s.source where s.kind = ${forge}`;
}

/** Creates a one-time code for this login, valid for ten minutes. Only its hash is stored. */
export async function createForgeCode(
  db: Queryable,
  asked: { readonly userKey: string; readonly chatKey: string; readonly forge: GateForge; readonly login: string },
): Promise<string> {
  const code = createTypedCode(3);
  await db.query(sql`delete from forge_links where expires_at < now()`);
  await db.query(sql`insert into forge_links (code_hash, user_key, chat_key, forge, login, expires_at)
    values (${hashAccessCode(code)}, ${asked.userKey}, ${asked.chatKey}, ${asked.forge}, ${asked.login},
            now() + ${IDENTITY_CODE_TTL_MS} * interval '1 ms')`);
  return code;
}

/** Uses a code that the right login wrote, in the caller's transaction. Null for any other text and login. Audited. */
export async function useForgeCode(
  db: Queryable,
  { forge, account, code }: ForgeComment,
): Promise<UsedForgeCode | null> {
  const used = await findRow<{ userKey: string; chatKey: string }>(db)`
    delete from forge_links where code_hash = ${hashAccessCode(code)} and forge = ${forge}
       and lower(login) = lower(${account.login}) and expires_at > now()
    returning user_key as "userKey", chat_key as "chatKey"`;
  if (!used) return null;
  const userKey = toForgeAccount(forge, account.id);
  const { person } = await findPerson(db, used.userKey);
  await restoreProgram(db, userKey);
  const role = await linkIdentity(db, { userKey, channel: forge, name: account.login, isProgram: true }, person);
  if (role === null) return { outcome: 'taken', ...used };
  const data = { person: userKey, from: null, to: role, by: forge };
  await appendAudit(db, [{ kind: 'role.changed', actor: used.userKey, data }]);
  return { outcome: 'linked', ...used };
}
