import type { Role } from '@signalbox/contracts/governance/roles';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, sql } from '../sql.ts';

/** Former state of an account that lost its role because its owner may have changed. */
export interface VacatedAccount {
  readonly userKey: string;
  readonly person: string;
  readonly name: string;
  readonly role: Role;
}

/** Marks by which a channel recognizes the owner of an account. */
export type AccountFingerprint = Readonly<Record<string, string>>;

const HELD = 'its owner may have changed';

/**
 * Removes the role of an account whose owner may have changed, and holds its messages back. Null when the account has no role or this
 * event was handled before. Runs in the caller's transaction.
 */
export async function vacateAccount(
  db: Queryable,
  { userKey, event, why }: { readonly userKey: string; readonly event: string; readonly why: string },
): Promise<VacatedAccount | null> {
  const isNew = await hasRow(db)`
    insert into account_marks (user_key, event) select user_key, ${event} from users where user_key = ${userKey}
    on conflict (user_key) do update set event = excluded.event where account_marks.event is distinct from excluded.event
    returning user_key`;
  if (!isNew) return null;
  const vacated = await findRow<VacatedAccount>(db)`
    with gone as (delete from users where user_key = ${userKey} returning *),
    kept as (
      insert into vacated_accounts (user_key, account, why) select user_key, to_jsonb(gone), ${why} from gone
      on conflict (user_key) do update set account = excluded.account, why = excluded.why, since = now())
    select user_key as "userKey", person, name, role from gone`;
  if (vacated !== null)
    await db.query(sql`update outbox set status = 'undeliverable', error = ${HELD}
      where chat_root(chat_key) = private_chat(${userKey}) and status in ('pending', 'sending')`);
  return vacated;
}

/** Stores the marks of an account; true when a mark differs from the stored one, so that the owner may have changed. */
export async function storeFingerprint(db: Queryable, userKey: string, marks: AccountFingerprint): Promise<boolean> {
  const before =
    (await findValue<AccountFingerprint>(db)`select marks from account_marks where user_key = ${userKey} for update`) ??
    {};
  await db.query(sql`
    insert into account_marks (user_key, marks) select user_key, ${JSON.stringify(marks)}::jsonb from users where user_key = ${userKey}
    on conflict (user_key) do update set marks = account_marks.marks || excluded.marks`);
  return Object.entries(marks).some(([name, mark]) => Object.hasOwn(before, name) && before[name] !== mark);
}

/** Finds the person who owned a vacated account; null when the account is not vacated. */
export function findVacatedAccount(db: Queryable, userKey: string): Promise<string | null> {
  return findValue<string>(db)`select account ->> 'person' from vacated_accounts where user_key = ${userKey}`;
}

/**
 * Restores the role of a vacated account and releases its held messages; without `withMessages` they are dropped. False when the account
 * is not vacated. Runs in the caller's transaction.
 */
export async function restoreAccount(db: Queryable, userKey: string, withMessages = true): Promise<boolean> {
  const isRestored = await hasRow(db)`
    with back as (delete from vacated_accounts where user_key = ${userKey} returning account),
    made as (
      insert into users select (jsonb_populate_record(null::users, account || jsonb_build_object('role',
        coalesce((select u.role from users u where u.person = account ->> 'person' limit 1), account ->> 'role')))).*
        from back on conflict (user_key) do nothing)
    select from back`;
  if (isRestored && withMessages)
    await db.query(sql`update outbox set status = 'pending', error = null, attempts = 0
      where chat_root(chat_key) = private_chat(${userKey}) and status = 'undeliverable' and error = ${HELD}`);
  return isRestored;
}
