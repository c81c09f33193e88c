import type { Pool, Queryable } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';

/** `exclusive`: no other process has the name. `shared`: any number of processes share it, and none has it exclusively. */
export type HoldKind = 'exclusive' | 'shared';

/** A name that is ours as long as our connection to Postgres lives. */
export interface Hold {
  /** Fires when the connection is gone: another process may have the name by now. */
  readonly lost: AbortSignal;
  release(): void;
}

/** The hold, or how others have the name; `heldAs` is null when they let go of it in this moment. */
export type Attempt =
  { readonly hold: Hold; readonly heldAs: null } | { readonly hold: null; readonly heldAs: HoldKind | null };

/**
 * Takes the name if no other process stands against it. Keeps one connection of the pool until released.
 * A holder whose machine vanishes loses it after half a minute, when Postgres finds the connection dead.
 */
export async function tryHold(pool: Pool, name: string, kind: HoldKind): Promise<Attempt> {
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
    // Closed, not returned: the listeners and keep-alives above belong to this use of it.
    client.release(true);
    return { hold: null, heldAs };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Postgres shows a lock of one big number as its two halves. */
function readHeldAs(db: Queryable, name: string): Promise<HoldKind | null> {
  return findValue<HoldKind>(db)`
    select case mode when 'ShareLock' then 'shared' else 'exclusive' end from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended(${name}, 0)
      limit 1`;
}
