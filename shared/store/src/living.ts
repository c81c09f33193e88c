import type pg from 'pg';
import type { Connection, Pool, Queryable } from './pool.ts';
import { sql } from './sql.ts';

/**
 * Shows the other processes that this one lives: a connection of its own with a session lock on the process's id. While the lock is held,
 * a lease that runs out late is not taken (`lease_is_over`), because this process is only busy. Heartbeats are sent on this connection, so
 * that they never wait for other statements. The first query after a loss opens the connection again.
 */
export function showLiving(pool: Pool, holder: string): Queryable & { close(): Promise<void> } {
  const open = async (): Promise<Connection> => {
    const connection = await pool.connect();
    try {
      // Without these settings Postgres would keep the lock of a machine that lost its power for hours.
      await connection.query(
        'set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2',
      );
      await connection.query(sql`select pg_advisory_lock(hashtextextended('process ' || ${holder}, 0))`);
      return connection;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  };
  let opened: Promise<Connection> | null = open();
  opened.catch(() => undefined); // the first query says so
  const drop = async (): Promise<void> => {
    const dropped = opened;
    opened = null;
    await dropped?.then((connection) => connection.release(true)).catch(() => undefined); // it never opened
  };
  const query = async (statement: pg.QueryConfig): Promise<pg.QueryResult> => {
    opened ??= open();
    const used = opened;
    try {
      return await (await used).query(statement);
    } catch (error) {
      // After an error of the statement alone, Postgres says ERROR and the connection is good.
      if (opened === used && !isOfStatement(error)) await drop();
      throw error;
    }
  };
  return { query: query as Queryable['query'], close: drop }; // statements of this package come as one object
}

function isOfStatement(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}
