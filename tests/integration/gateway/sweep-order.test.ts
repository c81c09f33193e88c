import { sweepChats } from '@signalbox/gateway/delivery/outgoing';
import { createLog } from '@signalbox/platform/log';
import { openPool } from '@signalbox/store/pool';
import { expect, it } from 'vitest';
import { createDatabase } from '../../support/database.ts';

it('the chats that wait longest for a message are swept first, one sweep after the other', async () => {
  const database = await createDatabase();
  const pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'gateway' });
  try {
    await pool.query(`insert into chats (chat_key) select 'telegram:' || n from generate_series(1, 6) n`);
    // The chat with the highest number has waited longest.
    await pool.query(
      `insert into outbox (key, chat_key, trace_id, priority, body, created_at)
       select 'k' || n, 'telegram:' || n, 't', 1, '{}', now() - n * interval '1 minute' from generate_series(1, 6) n`,
    );
    const sweep = (): Promise<readonly string[]> =>
      sweepChats(pool, { channels: ['telegram'], quietMs: 5_000, maxChats: 4 });
    expect(await sweep()).toEqual(['telegram:6', 'telegram:5', 'telegram:4', 'telegram:3']);
    expect(await sweep()).toEqual(['telegram:2', 'telegram:1']);
  } finally {
    await pool.end();
    await database.drop();
  }
});
