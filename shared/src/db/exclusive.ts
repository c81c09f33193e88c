import type { Pool } from './pool.ts';

/** Something that only one process has at a time, as long as its connection to Postgres lives. */
export interface Exclusive {
  /** Fires when the connection is gone: another process may have it by now. */
  readonly lost: AbortSignal;
  release(): void;
}

/**
 * Takes the name if no other process has it; null otherwise. Keeps one connection of the pool until released.
 * A holder whose machine vanishes loses it after half a minute, when Postgres finds the connection dead.
 */
export async function tryExclusive(pool: Pool, name: string): Promise<Exclusive | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  try {
    await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4');
    const { rows } = await client.query<{ mine: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as mine',
      [name],
    );
    if (rows[0]?.mine) return { lost: lost.signal, release: () => client.release(true) };
  } catch (error) {
    client.release(true);
    throw error;
  }
  // Closed, not returned: the listeners and keep-alives above belong to this use of it.
  client.release(true);
  return null;
}
