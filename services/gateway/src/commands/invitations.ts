import { roleCovers, type Role } from '@signalbox/contracts/governance/roles';
import { plainName } from '@signalbox/contracts/plain-name';
import { newCode } from '@signalbox/contracts/ids';
import { hashCode } from '@signalbox/store/people/access-code';
import { findIdentityCode, linkIdentity, takeIdentityCode, voidIdentityCode } from '@signalbox/store/people/identities';
import { redeemOwnerCode, voidOwnerCode } from '@signalbox/store/people/owner-code';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, hasRow, listRows, sql } from '@signalbox/store/sql';
import { findVacated, restoreAccount } from '@signalbox/store/people/vacated-accounts';
import { allowUser, findUser, type User } from '@signalbox/store/people/users';

/** How long an invitation is good for. */
export const INVITATION_MS = 24 * 3_600_000;
/** Wrong codes that one person may send within the hour. */
const TRIES_PER_PERSON = 5;
/** Wrong codes of everybody together: a code has 60 bits, so even this many guesses an hour find none. */
const TRIES_OVERALL = 200;
const TRIES_WINDOW_MS = 3_600_000;

export interface Invitation {
  readonly role: Role;
  readonly name: string | null;
  readonly expiresAt: Date;
}

type Newcomer = Omit<User, 'role'>;

/**
 * What became of a code. owner, invited: the person is in. covered: they had that role or more, and the code stays good.
 * mine: they used it themselves before. linked: their account belongs to the person who asked for the code. has-role: it cannot,
 * because it is somebody already. expired: too old, or withdrawn.
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

/** Whom an invitation is for, as the values of its sentences. */
export function describeInvited({ role, name }: Pick<Invitation, 'role' | 'name'>): Readonly<Record<string, string>> {
  return { role, named: name === null ? 'no' : 'yes', name: plainName(name ?? '') };
}

/** Makes an invitation and returns its code, which is stored nowhere: it can be shown once. */
export async function createInvitation(
  db: Queryable,
  wanted: { readonly role: Role; readonly name: string | null; readonly invitedBy: string; readonly chatKey: string },
): Promise<string> {
  const code = newCode(3);
  await db.query(sql`insert into invitations (code_hash, role, name, invited_by, chat_key, expires_at)
    values (${hashCode(code)}, ${wanted.role}, ${wanted.name}, ${wanted.invitedBy}, ${wanted.chatKey},
      now() + ${INVITATION_MS} * interval '1 ms')`);
  return code;
}

/** Invitations that can still be used, oldest first. */
export function listInvitations(db: Queryable): Promise<readonly Invitation[]> {
  return listRows<Invitation>(db)`
    select i.role, i.name, i.expires_at as "expiresAt" from invitations i join users u on u.user_key = i.invited_by
      where i.used_at is null and i.voided_at is null and i.expires_at > now() and u.role = 'admin' order by i.created_at`;
}

/**
 * Tries a code: of an owner, of an invitation, or for another account. Must run in a transaction: a lock keeps two people with one code apart.
 * Wrong ones count towards the limit, and beyond it none is even looked at.
 */
export async function redeemCode(db: Queryable, code: string, person: Newcomer): Promise<CodeOutcome> {
  const waitMs = await limitedFor(db, person.userKey);
  if (waitMs > 0) return { kind: 'limited', waitMs };
  const before = await findUser(db, person.userKey);
  if (await redeemOwnerCode(db, code, person)) {
    await restoreAccount(db, person.userKey);
    await recordRole(db, person, before, 'admin', 'owner code');
    return { kind: 'owner' };
  }
  const outcome = (await redeemIdentity(db, code, person, before)) ?? (await redeemInvitation(db, code, person));
  if (outcome.kind === 'linked') await recordRole(db, person, before, outcome.role, `link of ${outcome.owner.userKey}`);
  if (outcome.kind === 'invited') await recordRole(db, person, before, outcome.role, 'invitation');
  if (outcome.kind === 'unknown') {
    await db.query(`delete from code_tries where tried_at < now() - interval '1 day'`);
    await db.query(sql`insert into code_tries (user_key) values (${person.userKey})`);
  }
  return outcome;
}

async function recordRole(db: Queryable, person: Newcomer, before: User | null, to: Role, by: string): Promise<void> {
  const data = { person: person.userKey, from: before?.role ?? null, to, by };
  await appendAudit(db, [{ kind: 'role.changed', actor: person.userKey, data }]);
}

/** Makes a code worthless that others have seen. False when it was none. */
export async function voidCode(db: Queryable, code: string): Promise<boolean> {
  if ((await voidOwnerCode(db, code)) || (await voidIdentityCode(db, code))) return true;
  return hasRow(db)`update invitations set voided_at = now()
    where code_hash = ${hashCode(code)} and used_at is null and voided_at is null`;
}

/** Null: it is no code for another account, or it is over. */
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
  // Whoever has a code of the person has the account that it was made with, and so may say that this one is theirs still.
  const vacated = await findVacated(db, person.userKey);
  if (vacated !== null && vacated !== owner) return null;
  await restoreAccount(db, person.userKey);
  const role = await linkIdentity(db, person, owner);
  if (role === null) return null;
  await takeIdentityCode(db, code, person.userKey);
  return { kind: 'linked', role, owner: { userKey, name } };
}

async function redeemInvitation(db: Queryable, code: string, person: Newcomer): Promise<CodeOutcome> {
  // It would bring what was another person's; an admin takes that away first.
  if ((await findVacated(db, person.userKey)) !== null) return { kind: 'unknown' };
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
       from invitations i where i.code_hash = ${hashCode(code)} for update of i`;
  if (!found) return { kind: 'unknown' };
  const { role, inviterChat, usedBy, gone, had } = found;
  if (usedBy !== null) return usedBy === person.userKey && had ? { kind: 'mine', role: had } : { kind: 'used' };
  if (gone) return { kind: 'expired' };
  if (had && roleCovers(had, role)) return { kind: 'covered', role: had };
  await db.query(
    sql`update invitations set used_by = ${person.userKey}, used_at = now() where code_hash = ${hashCode(code)}`,
  );
  await allowUser(db, { ...person, role });
  return { kind: 'invited', role, inviterChat, wasIn: had !== null };
}

/** How long this person's codes are not looked at, in milliseconds; 0 when they are. */
async function limitedFor(db: Queryable, userKey: string): Promise<number> {
  const rows = await listRows<{ tries: number; mine: boolean; leftMs: number }>(db)`
    select count(*)::int as tries, mine,
           ceil(extract(epoch from min(tried_at) - now()) * 1000 + ${TRIES_WINDOW_MS})::float8 as "leftMs"
       from code_tries t, lateral (values (true), (false)) as of (mine)
      where tried_at > now() - ${TRIES_WINDOW_MS} * interval '1 ms' and (not mine or user_key = ${userKey})
      group by mine`;
  const over = rows.filter(({ tries, mine }) => tries >= (mine ? TRIES_PER_PERSON : TRIES_OVERALL));
  return Math.max(0, ...over.map(({ leftMs }) => leftMs));
}
