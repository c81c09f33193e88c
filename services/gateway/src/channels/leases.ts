import type { Pool, Queryable } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';

/** `exclusive`: one process holds the name. `shared`: several processes share it. */
export type LeaseMode = 'exclusive' | 'shared';

/** A name held as long as this connection to Postgres lives. */
export interface HeldLease {
  /** Fires when the connection is lost: another process may hold the name by now. */
  readonly lost: AbortSignal;
  release(): void;
}

/** The hold, or how others hold the name; `heldAs` is null when they released it just now. */
export type LeaseAttempt =
  { readonly hold: HeldLease; readonly heldAs: null } | { readonly hold: null; readonly heldAs: LeaseMode | null };

/** Takes the name unless another process holds it. Keeps a pool connection until released; a vanished machine loses it in 30 s. */
export async function tryAcquireLease(pool: Pool, name: string, kind: LeaseMode): Promise<LeaseAttempt> {
  const client = await pool.connect();
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  try {
    await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4');
    const isMine =
      kind === 'exclusive'
        ? findValue<boolean>(client)`select pg_try_advisory_lock(hashtextextended(${name}, 0))`
        : findValue<boolean>(client)`select pg_try_advisory_lock_shared(hashtextextended(${name}, 0))`;
    if (await isMine) return { hold: { lost: lost.signal, release: () => client.release(true) }, heldAs: null };
    const heldAs = await readHeldAs(client, name);
    // Closed instead of returned, since its listeners and keep-alive settings are for this use only.
    client.release(true);
    return { hold: null, heldAs };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** pg_locks shows a bigint lock as two halves. */
function readHeldAs(db: Queryable, name: string): Promise<LeaseMode | null> {
  return findValue<LeaseMode>(db)`
    select case mode when 'ShareLock' then 'shared' else 'exclusive' end from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended(${name}, 0)
      limit 1`;
}
