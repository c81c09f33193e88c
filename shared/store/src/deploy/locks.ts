import type { Pool } from '../pool.ts';
import { sql } from '../sql.ts';

/**
 * Runs `work` while holding a named lock, across processes. Waits at most the pool's lock time-out. Needs a separate pool, because a
 * holder keeps its connection while `work` uses others.
 */
export async function withLock<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(sql`select pg_advisory_lock(hashtextextended(${name}, 0))`);
    try {
      return await work();
    } finally {
      await client.query(sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`);
    }
  } finally {
    client.release();
  }
}
