import type { Pool } from '../pool.ts';
import { sql } from '../sql.ts';

/**
 * Runs `work` while no other holder of this name runs, in any process. Waits at most the pool's lock time-out.
 * Use a pool of its own: a holder keeps its connection while the work asks for others.
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
