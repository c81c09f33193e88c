import { readContext, type ContextRows } from '@signalbox/store/turns/context-rows';
import { forgetConversation } from '@signalbox/store/memory/conversations';
import { createMemoryStore, forgetAll, forgetFact } from '@signalbox/store/memory/facts';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const OF = { userKey: '7', threadId: 'user_7_9', chatKey: 'telegram:7' };

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 8, as: 'owner' });
  await pool.query(`insert into users (user_key, channel, name, role) values ('7', 'telegram', 'Ada', 'developer')`);
  await pool.query(`insert into threads (thread_id, user_key, n, chat_key, agent)
    select 'user_7_' || n, '7', n, 'telegram:7', 'product_owner' || n from unnest(array[1, 2, 9]) n`);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

let actions = 0;
/** Remembers something by an action that governance has decided about. */
async function remember(
  fact: string,
  isTainted: boolean | null = false,
): Promise<{ n: number; outside: string | null }> {
  const actionId = `act_${++actions}`;
  const proposal = isTainted === null ? null : { action: { assessment: { tainted: isTainted, risk: 'sensitive' } } };
  await pool.query(
    `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposal, started_at)
     values ($1, 't', 'user_7_1', '7', 'remember_fact', '{}', 1, 'started', $2, now())`,
    [actionId, proposal],
  );
  return createMemoryStore(pool).remember({ userKey: '7', threadId: 'user_7_1', fact, actionId });
}

describe('the cached memory of a person', () => {
  const read = (known: string | null): Promise<ContextRows> => readContext(pool, OF, known);

  it('is not read from the database again until it changes', async () => {
    await remember('I like tea');
    const { key, memory } = await read(null);
    expect(memory?.facts.map(({ fact }) => fact)).toEqual(['I like tea']);
    await pool.query(`update threads set last_active_at = clock_timestamp() where thread_id = 'user_7_9'`);
    expect(await read(key)).toMatchObject({ key, memory: null });
  });

  const CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a fact is remembered', () => remember('I like coffee')],
    ['a fact is forgotten', () => forgetFact(pool, '7', 1)],
    ['everything is forgotten', () => forgetAll(pool, '7')],
    ['a conversation is forgotten', () => forgetConversation(pool, '7', 'user_7_2')],
    ['a conversation ends', () => pool.query(`update threads set status = 'finished' where thread_id = 'user_7_2'`)],
    [
      'a change comes to its end',
      () =>
        pool.query(`update actions set status = 'done', settled_at = clock_timestamp() where thread_id = 'user_7_1'`),
    ],
    [
      'a job of a conversation begins',
      () =>
        pool.query(
          `insert into runs (run_id, job, payload, user_key, thread_id, trace_id) values ('r', 'j', '{}', '7', 'user_7_2', 't')`,
        ),
    ],
    [
      'another account becomes theirs',
      async () => {
        await pool.query(
          `insert into threads (thread_id, user_key, n, chat_key, agent) values ('user_70_1', '70', 1, 'c', 'product_owner')`,
        );
        await pool.query(
          `insert into users (user_key, channel, name, role, person) values ('70', 'telegram', 'Ada', 'developer', '7')`,
        );
      },
    ],
  ];

  it.each(CHANGES)('is read again when %s', async (_, change) => {
    await remember('I like tea');
    const { key } = await read(null);
    await change();
    const after = await read(key);
    expect(after.key).not.toBe(key);
    expect(after.memory).not.toBeNull();
  });
});

describe('a remembered fact', () => {
  it('counts as outside text unless it was found in the person’s own words', async () => {
    expect(await remember('clean', false)).toMatchObject({ n: 1, outside: null });
    expect(await remember('foreign', true)).toMatchObject({ n: 2, outside: 'unknown' });
    await pool.query(`select taint_thread('user_7_1', 'get_service_logs', now())`);
    expect(await remember('from a log', true)).toMatchObject({ n: 3, outside: 'get_service_logs' });
    expect(await remember('nobody assessed it', null)).toMatchObject({ n: 4, outside: 'get_service_logs' });
  });

  it('in the person’s own words is trusted, even when outside text stored the same fact before', async () => {
    await remember('I like tea', true);
    expect(await remember('I like tea', false)).toMatchObject({ n: 2, outside: null });
  });

  it('that the person typed is their own, even when the act was confirmed because no reader answered', async () => {
    await pool.query(
      `insert into turns (turn_id, thread_id, user_key, epoch, worker, trace_id, outcome, passes, tool_calls, started_at)
       values ('turn_1', 'user_7_1', '7', 1, 'w', 't', 'answered', 1, 1, now())`,
    );
    await pool.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, turn_id, outcome)
       values ('telegram', '1', '1', '7', 'telegram:7', 'message', $1, 't', 'turn_1', 'answered')`,
      [{ kind: 'message', text: 'remember pls: production only before 16:00', button: null }],
    );
    expect(await remember('Production only before 16:00', true)).toMatchObject({ n: 1, outside: null });
    expect(await remember('production only before 18:00', true)).toMatchObject({ n: 2, outside: 'unknown' });
  });

  it('that holds a secret is refused', async () => {
    for (const fact of ['password: hunter2-hunter2-9', `the token is ghp_${'a1B2c3D4e5F6'.repeat(3)}`])
      await expect(remember(fact)).rejects.toMatchObject({ code: 'MEMORY_SECRET' });
    expect((await pool.query('select 1 from memory_facts')).rowCount).toBe(0);
  });

  it('is stored once when its action runs twice, even at the same time', async () => {
    const { n } = await remember('I like tea');
    const again = { userKey: '7', threadId: 'user_7_1', fact: 'I like tea', actionId: `act_${actions}` };
    const twice = await Promise.all([1, 2].map(() => createMemoryStore(pool).remember(again)));
    expect(twice.map((one) => one.n)).toEqual([n, n]);
    expect((await pool.query('select 1 from memory_facts')).rowCount).toBe(1);
  });

  it('is refused when the person already has ten thousand', async () => {
    await remember('the first');
    await pool.query(`insert into memory_facts (person, n, fact, user_key, thread_id, action_id)
      select '7', n, 'fact ' || n, '7', 't', 'act_many_' || n from generate_series(2, 10000) n`);
    await expect(remember('one more')).rejects.toMatchObject({ code: 'MEMORY_FULL' });
  });
});

it('facts are found by their words in the private chat of their person, and in no group', async () => {
  await remember('The release manager is Ana');
  await remember('I like tea');
  const { recall } = createMemoryStore(pool);
  const found = async (query: string | null): Promise<readonly string[]> =>
    (await recall({ userKey: '7', threadId: 'user_7_1' }, query)).map(({ fact }) => fact);
  expect(await found('who is the MANAGER')).toEqual(['The release manager is Ana']);
  expect(await found(null)).toHaveLength(2);
  expect(await found('coffee')).toEqual([]);
  await pool.query(`update threads set chat_key = 'telegram:-100/5' where thread_id = 'user_7_1'`);
  await expect(found(null)).rejects.toMatchObject({ code: 'MEMORY_PRIVATE' });
});
