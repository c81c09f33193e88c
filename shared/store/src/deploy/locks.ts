import type { Pool } from '../pool.ts';

/**
 * Runs `work` while no other holder of this name runs, in any process. Waits at most the pool's lock time-out.
 * Use a pool of its own: a holder keeps its connection while the work asks for others.
 */
export async function withLock<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    try {
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    }
  } finally {
    client.release();
  }
}
