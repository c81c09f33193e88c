import pg from 'pg';
import { createTypedCode } from '@signalbox/contracts/ids';
import { hashAccessCode } from './access-code.ts';
import { buildAuditJson } from '../audit/audit.ts';
import type { Queryable } from '../pool.ts';
import { hasRow, sql } from '../sql.ts';

const KEY = 'owner_code';

/**
 * Creates an owner code while there is no admin, stores its hash and returns the code, which can be shown once. Earlier codes become
 * invalid. Null when there is an admin. `actor`: who caused this, for the audit log.
 */
export async function ensureOwnerCode(databaseUrl: string, actor = 'system'): Promise<string | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    if (await hasRow(client)`select 1 from users where role = 'admin' limit 1`) return null;
    const code = createTypedCode(3);
    await client.query(sql`with made as (
         insert into settings (key, value) values (${KEY}, to_jsonb(${hashAccessCode(code)}::text))
         on conflict (key) do update set value = excluded.value, updated_at = now() returning 1)
       select audit_append(${buildAuditJson([{ kind: 'owner_code.made', actor, data: {} }])}::jsonb) from made`);
    return code;
  } finally {
    await client.end();
  }
}

/** Makes this person the admin when the code is the current one. A code works once, even for two people at the same time. */
export function redeemOwnerCode(
  db: Queryable,
  code: string,
  person: { readonly userKey: string; readonly channel: string; readonly name: string },
): Promise<boolean> {
  return hasRow(db)`
    with used as (delete from settings where key = ${KEY} and value = to_jsonb(${hashAccessCode(code)}::text) returning 1)
     insert into users (user_key, channel, name, role) select ${person.userKey}, ${person.channel}, ${person.name}, 'admin' from used
     on conflict (user_key) do update set role = 'admin', name = excluded.name`;
}

/** Invalidates the current owner code; `signalbox owner-code` creates a new one. */
export function voidOwnerCode(db: Queryable, code: string): Promise<boolean> {
  return hasRow(db)`delete from settings where key = ${KEY}
      and value = to_jsonb(${hashAccessCode(code)}::text)`;
}
