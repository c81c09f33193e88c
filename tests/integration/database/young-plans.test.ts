import { claimChat, takeNextRow } from '@signalbox/gateway/delivery/outgoing';
import { claimLane, finishLaneTurn } from '@signalbox/store/turns/lanes';
import { readLedger } from '@signalbox/store/receipts';
import type { PoolClient } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

/** More rows than any of these tables has when its plans are made. */
const ROWS = 5_000;
/** Postgres settles on a plan at the sixth call of a connection. */
const CALLS = 8;
const BURST = [
  `insert into lanes (user_key) select 'u' || n`,
  `insert into chats (chat_key) select 'c' || n`,
  `insert into threads (thread_id, user_key, n, chat_key, agent) select 't' || n, 'u' || n, 1, 'c' || n, 'product_owner'`,
  `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
   select 'telegram', '1', 'x' || n, 'u' || n, 'c' || n, 'message', '{}', 'tr', 'answered'`,
  `insert into outbox (key, chat_key, user_key, trace_id, priority, body, status)
   select 'x' || n, 'c' || n, 'u' || n, 'tr', 1, '{}', 'sent'`,
];

let bench: WorkerBench;
let db: PoolClient;
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('7', 'developer');
  db = await bench.pool.connect();
});
afterEach(async () => {
  db.release();
  await bench.close();
});

/** One message to its answer, by the statements of worker and gateway. */
async function converse(n: number): Promise<void> {
  const inboxId = await bench.say('7', `hello ${n}`, { silent: true });
  const options = { worker: 'w', leaseMs: 5_000, maxMessages: 10, idleMs: 60_000, agent: 'product_owner' };
  const lane = await claimLane(db, '7', options);
  if (!lane) throw new Error('the lane is not free');
  const to = { key: `r${n}`, chatKey: 'telegram:7', userKey: '7', threadId: null, turnId: null, traceId: 'trc_1' };
  const reply = { ...to, priority: 5, slot: null, body: { text: 'hello', buttons: [] } };
  const outcomes = [{ id: inboxId, outcome: 'answered' as const, reason: null }];
  await finishLaneTurn(db, lane, { turn: null, outcomes, replies: [reply], thread: null });
  const chatOptions = { leaseMs: 5_000, slotMs: 0, pick: true };
  const claimed = await claimChat(db, 'telegram:7', { ...chatOptions, gateway: 'g' });
  if (claimed.state !== 'held' || !claimed.item) throw new Error('nothing to deliver');
  const { id, delivery } = claimed.item;
  const result = { id, status: 'sent' as const, delivery, error: null, uncounted: false };
  expect(await takeNextRow(db, claimed.chat, { ...chatOptions, result, pauseMs: null })).toEqual({ state: 'released' });
}

it('query plans that were cached while tables were small cause no full scan of a table that has grown', async () => {
  await bench.pool.query('analyze');
  for (let n = 0; n < CALLS; n += 1) await converse(n);
  for (const text of BURST) await bench.pool.query(`${text} from generate_series(1, ${ROWS}) n`);
  await db.query('begin');
  await converse(CALLS);
  const { rows } = await db.query(
    `select relname as "table", seq_tup_read::int as read from pg_stat_xact_user_tables where seq_tup_read >= $1`,
    [ROWS],
  );
  await db.query('commit');
  expect(rows).toEqual([]);
});

it('a query for one conversation uses an index although its plan was made for hundreds of actions', async () => {
  const act = (from: number, to: number) =>
    bench.pool.query(
      `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposal, started_at, settled_at)
       select 'act_' || n, 'turn_' || n, 't' || n / 8, 'u', 'create_project', '{}', 1, 'done',
              jsonb_build_object('action', repeat('x', 500)), now(), now() from generate_series($1::int, $2::int) n`,
      [from, to],
    );
  const read = async (): Promise<void> => expect(await readLedger(db, 't7', ['act_1'])).toHaveLength(9);
  await act(0, 299);
  await bench.pool.query('analyze');
  for (let n = 0; n < CALLS; n += 1) await read();
  await act(300, ROWS);
  await db.query('begin');
  await read();
  const { rows } = await db.query(
    `select seq_tup_read::int as read from pg_stat_xact_user_tables where relname = 'actions'`,
  );
  await db.query('commit');
  expect(rows).toEqual([{ read: 0 }]);
});
