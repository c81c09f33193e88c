import { randomBytes } from 'node:crypto';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { createThreadSequences, type ThreadSequences } from '@signalbox/worker/turn/threads';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

describe('thread sequences', () => {
  const log = createLog('test', 'silent');
  const prefix = `q${randomBytes(4).toString('hex')}:`;
  let database: TestDatabase;
  let pool: Pool;
  let redis: Redis;
  let threads: ThreadSequences;
  beforeAll(async () => {
    database = await createDatabase();
    pool = openPool(database.url, log, { name: 'test', max: 10, as: 'owner' });
    redis = openRedis(inject('redisUrl'), log);
    threads = createThreadSequences({ redis, pool, prefix });
  });
  afterAll(async () => {
    await closeRedis(redis);
    await pool.end();
    await database.drop();
  });
  const open = async (userKey: string, chat = 'telegram:1'): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>(`select thread_open($1, $2, 'product_owner') as id`, [
      userKey,
      chat,
    ]);
    await pool.query(`update threads set status = 'closed' where user_key = $1`, [userKey]);
    return rows[0]?.id ?? '';
  };

  it('give a person contiguous numbers, even when many threads are opened at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => open('10', `telegram:${i}`)));
    expect(new Set(ids).size).toBe(20);
    expect(ids.map((id) => Number(id.split('_')[2])).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  it('do not reuse a number when its transaction was rolled back', async () => {
    await open('11');
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`select thread_open('11', 'telegram:1', 'product_owner')`);
    await client.query('rollback');
    client.release();
    expect(await open('11')).toBe('user_11_2');
  });

  it('are copied to Redis under the documented key, and the copy never decreases', async () => {
    await threads.record('user_12_7');
    await threads.record('user_12_5');
    expect(await redis.get(`${prefix}thread:sequence:12`)).toBe('7');
    expect(await threads.current('12')).toBe('user_12_7');
  });

  it('are rebuilt from Postgres when Redis has lost them', async () => {
    await open('13');
    const second = await open('13');
    await redis.del(`${prefix}thread:sequence:13`);
    expect(await threads.current('13')).toBe(second);
    expect(await redis.get(`${prefix}thread:sequence:13`)).toBe('2');
  });

  it('are empty for a person who never wrote', async () => {
    expect(await threads.current('14')).toBeNull();
  });

  it('keep the key of a person unchanged in the thread id, even with underscores', async () => {
    const id = await open('web-a_b_3');
    expect(id).toBe('user_web-a_b_3_1');
    await threads.record(id);
    expect(await threads.current('web-a_b_3')).toBe(id);
    await expect(threads.record('nonsense')).resolves.toBeUndefined();
  });
});
