import { openPool, withTransaction } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../support/database.ts';

// An error event that nobody hears ends the process: here it would be an unhandled error of the run.
test('a connection that is cut between two statements fails its transaction, and the process keeps running', async () => {
  const database = await createDatabase();
  const log = createLog('test', 'silent');
  const pool = openPool(database.url, log, { name: 'cut', max: 1 });
  const other = openPool(database.url, log, { name: 'other', max: 1, as: 'owner' });
  onTestFinished(async () => {
    await Promise.all([pool.end(), other.end()]);
    await database.drop();
  });
  const attempt = withTransaction(pool, async (db) => {
    const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
    // Waits until the other session is gone, so that its last words are here before the next statement.
    await other.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    await new Promise((resolve) => setImmediate(resolve));
    await db.query('select 1');
  });
  await expect(attempt).rejects.toThrow();
  await expect(withTransaction(pool, (db) => db.query('select 1 as one'))).resolves.toMatchObject({
    rows: [{ one: 1 }],
  });
});
