import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expireThreads } from '@signalbox/jobs/conversation/thread-expiry';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { openJobsBench, until, type JobsBench } from './bench.ts';

const IDLE_MS = 30 * 60_000;
const NO_DOCS = { DOCS_DIR: '/nonexistent/docs', README_FILE: '/nonexistent/README.md' };

let bench: JobsBench;
/** What ends conversations, with no more rights than it has where it runs. */
let maintenance: Pool;
beforeEach(async () => {
  bench = await openJobsBench();
  maintenance = openPool(bench.databaseUrl, createLog('test', 'silent'), { name: 'test', max: 4, as: 'maintenance' });
});
afterEach(async () => {
  await maintenance.end();
  await bench.close();
});

/** A conversation that has been silent for this long, and the lane of its person. */
async function converse(
  userKey: string,
  idleMinutes: number,
  awaiting: boolean,
  title: string | null = 'a new shop',
): Promise<string> {
  const { rows } = await bench.pool.query<{ id: string }>(`select thread_open($1, $2, 'product_owner') as id`, [
    userKey,
    `telegram:${userKey}`,
  ]);
  const threadId = rows[0]?.id ?? '';
  await bench.pool.query(
    `update threads set awaiting = $2, title = $3, last_active_at = now() - $4 * interval '1 minute' where thread_id = $1`,
    [threadId, awaiting, title, idleMinutes],
  );
  await bench.pool.query(`insert into lanes (user_key) values ($1) on conflict do nothing`, [userKey]);
  return threadId;
}

const write = (userKey: string) =>
  bench.pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values ('telegram', 'b', gen_random_uuid(), $1, $2, 'message', jsonb_build_object('kind', 'message', 'chatKey', $2::text), 't')`,
    [userKey, `telegram:${userKey}`],
  );

const begin = async (userKey: string) => {
  const { rows } = await bench.pool.query<{ epoch: string; thread_id: string; expired: unknown; thread_new: boolean }>(
    `select * from lane_begin($1, 'w1', 5000, 10, $2, 'product_owner')`,
    [userKey, IDLE_MS],
  );
  return rows[0] ?? null;
};

const expire = () =>
  expireThreads(maintenance, {
    idleMs: IDLE_MS,
    limit: 50,
    toMessage: ({ threadId, userKey, chatKey }) => ({
      key: `expired:${threadId}`,
      chatKey,
      userKey,
      threadId,
      turnId: null,
      traceId: 't',
      priority: 5,
      slot: null,
      body: { text: 'closed', buttons: [] },
    }),
  });

const statusOf = async (threadId: string) => {
  const { rows } = await bench.pool.query<{ status: string }>('select status from threads where thread_id = $1', [
    threadId,
  ]);
  return rows[0]?.status;
};

describe('an idle conversation', () => {
  it('that waited for an answer is closed, and its person is notified once', async () => {
    const threadId = await converse('1001', 31, true);
    await bench.startService(NO_DOCS);
    const rows = await until(async () => {
      const found = await bench.pool.query<{ text: string; chat_key: string }>(
        `select body ->> 'text' as text, chat_key from outbox`,
      );
      return found.rows.length > 0 ? found.rows : null;
    });
    expect(rows).toEqual([
      {
        text: 'I closed our conversation about «a new shop» after 30 idle minutes. Write again to start a new one.',
        chat_key: 'telegram:1001',
      },
    ]);
    expect(await statusOf(threadId)).toBe('expired');
    const wakeUps = await until(
      async () => (await bench.redis.xlen(`${bench.prefix}{out:telegram:0}:messages`)) || null,
    );
    expect(wakeUps).toBe(1);
    await write('1001');
    expect(await begin('1001')).toMatchObject({ thread_new: true, expired: null });
  });

  it('that waited for no answer is closed silently, and the next turn mentions it', async () => {
    const threadId = await converse('1001', 31, false);
    expect(await expire()).toMatchObject([{ threadId, announced: false }]);
    expect((await bench.pool.query('select 1 from outbox')).rowCount).toBe(0);
    await write('1001');
    expect(await begin('1001')).toMatchObject({ thread_new: true, expired: { threadId, title: 'a new shop' } });
  });

  it('stays open until it has been idle for the configured time', async () => {
    const threadId = await converse('1001', 29, true);
    expect(await expire()).toEqual([]);
    expect(await statusOf(threadId)).toBe('open');
  });

  it('stays open while one of its runs is in progress', async () => {
    const threadId = await converse('1001', 31, true);
    await bench.runs.create({
      runId: 'act_1',
      job: 'knowledge.index',
      payload: {},
      person: null,
      threadId,
      traceId: 't',
    });
    expect(await expire()).toEqual([]);
  });

  it('stays open while a message of its person is unanswered, or a worker holds the lane', async () => {
    await converse('1001', 31, true);
    await converse('1002', 31, true);
    await write('1001');
    await bench.pool.query(
      `update lanes set worker = 'w1', lease_until = now() + interval '5 s' where user_key = '1002'`,
    );
    expect(await expire()).toEqual([]);
  });

  it('is closed when the worker that held its lane has died', async () => {
    const threadId = await converse('1001', 31, true);
    await bench.pool.query(
      `update lanes set worker = 'w1', lease_until = now() - interval '1 s' where user_key = '1001'`,
    );
    expect(await expire()).toMatchObject([{ threadId }]);
  });
});

describe('a conversation that expires while its person writes', () => {
  /** How many statements of this database wait for a lock. */
  const waiting = async () => {
    const { rows } = await bench.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.n;
  };

  it('is kept by a turn that has just started', async () => {
    const threadId = await converse('1001', 31, true);
    const worker = await bench.pool.connect();
    try {
      await worker.query('begin');
      // What a job has to say goes into the conversation that is there, however idle it is.
      await worker.query(
        `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
         values ('jobs', 'jobs', 'r1', '1001', 'telegram:1001', 'job-finished', '{"kind": "job-finished", "chatKey": "telegram:1001"}', 't')`,
      );
      const { rows } = await worker.query<{ thread_id: string }>(
        `select thread_id from lane_begin('1001', 'w1', 5000, 10, ${IDLE_MS}, 'product_owner')`,
      );
      expect(rows[0]?.thread_id).toBe(threadId);
      expect(await expire()).toEqual([]);
      await worker.query('commit');
    } finally {
      worker.release();
    }
    expect(await statusOf(threadId)).toBe('open');
  });

  it('is closed before the turn starts, and the turn starts a new conversation', async () => {
    const threadId = await converse('1001', 31, true);
    const gateway = await bench.pool.connect();
    try {
      await gateway.query('begin');
      await gateway.query(`insert into chats (chat_key) values ('telegram:1001')`); // the announcement has to wait for it
      const closing = expire();
      await until(async () => (await waiting()) === 1);
      await write('1001');
      const turn = begin('1001');
      await until(async () => (await waiting()) === 2);
      await gateway.query('rollback');
      expect(await closing).toMatchObject([{ threadId, announced: true }]);
      expect(await turn).toMatchObject({ thread_new: true, expired: null });
    } finally {
      gateway.release();
    }
    expect(await statusOf(threadId)).toBe('expired');
  });
});
