import type { Queryable } from './pool.ts';
import { findRow, hasRow, listRows, prepareSql } from './sql.ts';

/** A secret with its sealed value, as stored. */
export interface SecretRow {
  readonly userKey: string;
  readonly handle: string;
  readonly kind: string;
  readonly ciphertext: Buffer;
  /** Lifetime in milliseconds; null when the secret stays until its owner deletes it. */
  readonly keptMs: number | null;
}

/** A secret as its owner sees it, without the value. */
export interface SecretSummary {
  readonly handle: string;
  readonly kind: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly usedAt: Date | null;
}

/** Stores secrets. When a person already has a handle, the secret gets the new value and a new lifetime. */
export async function putSecrets(db: Queryable, rows: readonly SecretRow[]): Promise<void> {
  for (const { userKey, handle, kind, ciphertext, keptMs } of rows) {
    await db.query(prepareSql('secret_put')`insert into secrets (user_key, handle, kind, ciphertext, expires_at)
             values (${userKey}, ${handle}, ${kind}, ${ciphertext}, clock_timestamp() + ${keptMs} * interval '1 ms')
             on conflict (user_key, handle) do update
               set kind = ${kind}, ciphertext = ${ciphertext}, expires_at = excluded.expires_at, -- who seals may not read what is sealed
                   created_at = clock_timestamp(), used_at = null`);
  }
}

/** Lists a person's secrets that have not expired, by name. */
export function listSecrets(db: Queryable, userKey: string): Promise<readonly SecretSummary[]> {
  return listRows<SecretSummary>(db)`
    select handle, kind, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt" from secrets
      where user_key = ${userKey} and (expires_at is null or expires_at > clock_timestamp()) order by handle`;
}

/** Deletes a secret. False when the name is unknown. */
export function deleteSecret(db: Queryable, userKey: string, handle: string): Promise<boolean> {
  return hasRow(db)`delete from secrets where user_key = ${userKey} and handle = ${handle}`;
}

/** Reads a person's sealed secret and records its use; null when there is none or it has expired. */
export function readSealedSecret(db: Queryable, userKey: string, handle: string) {
  return findRow<Pick<SecretRow, 'kind' | 'ciphertext'>>(db)`
    update secrets set used_at = clock_timestamp()
      where user_key = ${userKey} and handle = ${handle} and (expires_at is null or expires_at > clock_timestamp())
      returning kind, ciphertext`;
}

/** Deletes expired secrets. Idempotent. Returns the number of deleted secrets. */
export async function dropExpiredSecrets(db: Queryable): Promise<number> {
  const { rowCount } = await db.query('delete from secrets where expires_at <= clock_timestamp()');
  return rowCount ?? 0;
}
