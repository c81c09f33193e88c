import { openPool, withTransaction } from '@signalbox/store/pool';
import { runFirst } from '@signalbox/store/pool-queue';
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

test('callers wait for a connection while connections come back, however long that takes', async () => {
  const { pool, end } = await openOne();
  onTestFinished(end);
  // More than six seconds of work: longer than a connection may take to open.
  const work = Array.from({ length: 16 }, (_, n) => pool.query('select pg_sleep(0.4), $1::int as n', [n]));
  const rows = (await Promise.all(work)).map((result) => (result.rows[0] as { n: number }).n);
  expect(rows).toEqual(Array.from({ length: 16 }, (_, n) => n));
});

test('a process that was frozen loses none of the work that waited for a connection', async () => {
  const { pool, end } = await openOne();
  onTestFinished(end);
  await pool.query('select 1');
  const work = Array.from({ length: 6 }, () => withTransaction(pool, (db) => db.query('select pg_sleep(0.2)')));
  const frozenUntil = performance.now() + 6_000;
  while (performance.now() < frozenUntil);
  await expect(Promise.all(work)).resolves.toHaveLength(6);
});

test('what runs first overtakes the callers that wait for a connection, with all of its statements', async () => {
  const { pool, end } = await openOne();
  onTestFinished(end);
  const done: string[] = [];
  const query = (name: string): Promise<unknown> => pool.query('select pg_sleep(0.05)').then(() => done.push(name));
  const others = ['a', 'b', 'c', 'd'].map(query);
  const stop = runFirst(async () => {
    await query('stop 1');
    await withTransaction(pool, (db) => db.query('select 1'));
    await query('stop 2');
  });
  await Promise.all([...others, stop]);
  expect(done.indexOf('stop 2')).toBeLessThan(done.indexOf('d'));
  expect(done.indexOf('stop 1')).toBeLessThan(done.indexOf('b'));
});

test('a caller fails when no connection comes back for five seconds', async () => {
  const { pool, end } = await openOne();
  const held = await pool.connect();
  onTestFinished(async () => {
    held.release();
    await end();
  });
  const startedAt = performance.now();
  await expect(pool.query('select 1')).rejects.toThrow('timeout exceeded');
  expect(performance.now() - startedAt).toBeGreaterThan(4_900);
});

test('a caller that has just come does not fail together with one that has waited for five seconds', async () => {
  const { pool, end } = await openOne();
  const held = await pool.connect();
  onTestFinished(end);
  const early = pool.query('select 1').catch((error: unknown) => String(error));
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const late = pool.query<{ n: number }>('select 2 as n');
  late.catch(() => undefined); // looked at below
  expect(await early).toContain('timeout exceeded');
  held.release();
  expect((await late).rows).toEqual([{ n: 2 }]);
});

async function openOne() {
  const database = await createDatabase();
  const pool = openPool(database.url, createLog('test', 'silent'), { name: 'one', max: 1 });
  const end = async (): Promise<void> => {
    await pool.end();
    await database.drop();
  };
  return { pool, end };
}
