import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { createTypedCode } from '@signalbox/contracts/ids';
import { hashAccessCode } from '@signalbox/store/people/access-code';
import { findIdentityCode, linkIdentity, redeemLinkCode, voidIdentityCode } from '@signalbox/store/people/identities';
import { redeemOwnerCode, voidOwnerCode } from '@signalbox/store/people/owner-code';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, hasRow, listRows, sql } from '@signalbox/store/sql';
import { findVacatedAccount, restoreAccount } from '@signalbox/store/people/vacated-accounts';
import { grantUserRole, findUser, type User } from '@signalbox/store/people/users';

export const INVITATION_TTL_MS = 24 * 3_600_000;
const MAX_TRIES_PER_PERSON = 5;
/** The most wrong codes of all people per hour. A code has 60 random bits, so guessing finds none. */
const MAX_TRIES_OVERALL = 200;
const TRIES_WINDOW_MS = 3_600_000;

export interface Invitation {
  readonly role: Role;
  readonly name: string | null;
  readonly expiresAt: Date;
}

type Newcomer = Omit<User, 'role'>;

/**
 * The result of redeeming a code. covered: they have that role or a higher one, and the code stays valid. mine: they used it before.
 * linked: the account now belongs to the creator of the code. has-role: it cannot be linked.
 */
export type CodeOutcome =
  | { readonly kind: 'owner' }
  | { readonly kind: 'invited'; readonly role: Role; readonly inviterChat: string; readonly wasIn: boolean }
  | {
      readonly kind: 'linked';
      readonly role: Role;
      readonly owner: { readonly userKey: string; readonly name: string };
    }
  | { readonly kind: 'covered' | 'mine' | 'has-role'; readonly role: Role }
  | { readonly kind: 'used' | 'expired' | 'unknown' }
  | { readonly kind: 'limited'; readonly waitMs: number };

export function toInviteeValues({ role, name }: Pick<Invitation, 'role' | 'name'>): Readonly<Record<string, string>> {
  return { role, named: name === null ? 'no' : 'yes', name: toPlainName(name ?? '') };
}

/** Creates an invitation and returns its code, which can be shown only once because it is never stored. */
export async function createInvitation(
  db: Queryable,
  invitation: {
    readonly role: Role;
    readonly name: string | null;
    readonly invitedBy: string;
    readonly chatKey: string;
  },
): Promise<string> {
  const code = createTypedCode(3);
  await db.query(sql`insert into invitations (code_hash, role, name, invited_by, chat_key, expires_at)
    values (${hashAccessCode(code)}, ${invitation.role}, ${invitation.name}, ${invitation.invitedBy}, ${invitation.chatKey},
      now() + ${INVITATION_TTL_MS} * interval '1 ms')`);
  return code;
}

export function listInvitations(db: Queryable): Promise<readonly Invitation[]> {
  return listRows<Invitation>(db)`
    select i.role, i.name, i.expires_at as "expiresAt" from invitations i join users u on u.user_key = i.invited_by
      where i.used_at is null and i.voided_at is null and i.expires_at > now() and u.role = 'admin' order by i.created_at`;
}

/** Redeems an owner's, an invitation's or an account's code, in the caller's transaction. Too many wrong codes block further tries. */
export async function redeemCode(db: Queryable, code: string, person: Newcomer): Promise<CodeOutcome> {
  const waitMs = await getLimitMs(db, person.userKey);
  if (waitMs > 0) return { kind: 'limited', waitMs };
  const before = await findUser(db, person.userKey);
  if (await redeemOwnerCode(db, code, person)) {
    await restoreAccount(db, person.userKey);
    await auditRole(db, person, before, 'admin', 'owner code');
    return { kind: 'owner' };
  }
  const outcome = (await redeemIdentity(db, code, person, before)) ?? (await redeemInvitation(db, code, person));
  if (outcome.kind === 'linked') await auditRole(db, person, before, outcome.role, `link of ${outcome.owner.userKey}`);
  if (outcome.kind === 'invited') await auditRole(db, person, before, outcome.role, 'invitation');
  if (outcome.kind === 'unknown') {
    await db.query(`delete from code_tries where tried_at < now() - interval '1 day'`);
    await db.query(sql`insert into code_tries (user_key) values (${person.userKey})`);
  }
  return outcome;
}

async function auditRole(db: Queryable, person: Newcomer, before: User | null, to: Role, by: string): Promise<void> {
  const data = { person: person.userKey, from: before?.role ?? null, to, by };
  await appendAudit(db, [{ kind: 'role.changed', actor: person.userKey, data }]);
}

/** Voids a code that others have seen. False when the text was no valid code. */
export async function voidCode(db: Queryable, code: string): Promise<boolean> {
  if ((await voidOwnerCode(db, code)) || (await voidIdentityCode(db, code))) return true;
  return hasRow(db)`update invitations set voided_at = now()
    where code_hash = ${hashAccessCode(code)} and used_at is null and voided_at is null`;
}

/** Links the account if `code` is another account's; null when it is not, or has expired. */
async function redeemIdentity(
  db: Queryable,
  code: string,
  person: Newcomer,
  before: User | null,
): Promise<CodeOutcome | null> {
  const found = await findIdentityCode(db, code);
  if (found === null) return null;
  if (before !== null) return { kind: 'has-role', role: before.role };
  const { userKey, name, person: owner } = found;
  // A vacated account may be linked again only with a code of the same person.
  const vacated = await findVacatedAccount(db, person.userKey);
  if (vacated !== null && vacated !== owner) return null;
  await restoreAccount(db, person.userKey);
  const role = await linkIdentity(db, person, owner);
  if (role === null) return null;
  await redeemLinkCode(db, code, person.userKey);
  return { kind: 'linked', role, owner: { userKey, name } };
}

async function redeemInvitation(db: Queryable, code: string, person: Newcomer): Promise<CodeOutcome> {
  // A vacated account would bring its former person's data, so an admin has to clear it first.
  if ((await findVacatedAccount(db, person.userKey)) !== null) return { kind: 'unknown' };
  const found = await findRow<{
    role: Role;
    inviterChat: string;
    usedBy: string | null;
    gone: boolean;
    had: Role | null;
  }>(db)`
    select i.role, i.chat_key as "inviterChat", i.used_by as "usedBy", i.voided_at is not null or i.expires_at <= now()
            or not exists (select 1 from users a where a.user_key = i.invited_by and a.role = 'admin') as gone,
            (select u.role from users u where u.user_key = ${person.userKey}) as had
       from invitations i where i.code_hash = ${hashAccessCode(code)} for update of i`;
  if (!found) return { kind: 'unknown' };
  const { role, inviterChat, usedBy, gone, had } = found;
  if (usedBy !== null) return usedBy === person.userKey && had ? { kind: 'mine', role: had } : { kind: 'used' };
  if (gone) return { kind: 'expired' };
  if (had && coversRole(had, role)) return { kind: 'covered', role: had };
  await db.query(
    sql`update invitations set used_by = ${person.userKey}, used_at = now() where code_hash = ${hashAccessCode(code)}`,
  );
  await grantUserRole(db, { ...person, role });
  return { kind: 'invited', role, inviterChat, wasIn: had !== null };
}

/** How long this person's codes are refused, in milliseconds; 0 when they are accepted. */
async function getLimitMs(db: Queryable, userKey: string): Promise<number> {
  const rows = await listRows<{ tries: number; mine: boolean; leftMs: number }>(db)`
    select count(*)::int as tries, mine,
           ceil(extract(epoch from min(tried_at) - now()) * 1000 + ${TRIES_WINDOW_MS})::float8 as "leftMs"
       from code_tries t, lateral (values (true), (false)) as of (mine)
      where tried_at > now() - ${TRIES_WINDOW_MS} * interval '1 ms' and (not mine or user_key = ${userKey})
      group by mine`;
  const over = rows.filter(({ tries, mine }) => tries >= (mine ? MAX_TRIES_PER_PERSON : MAX_TRIES_OVERALL));
  return Math.max(0, ...over.map(({ leftMs }) => leftMs));
}
