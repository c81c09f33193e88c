import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { NameCache } from '@signalbox/worker/agents/known-names';
import { TurnReport } from '@signalbox/worker/turn/turn-account';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/until.ts';

let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
let admin: ReturnType<typeof openRawPool>;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'account', max: 4, as: 'worker' });
  admin = openRawPool(database.url);
  process.on('unhandledRejection', note);
});
afterEach(() => void unhandled.splice(0));
afterAll(async () => {
  process.off('unhandledRejection', note);
  await pool.end();
  await admin.end();
  await database.drop();
});

it('two cut database queries fail the turn, and the worker process keeps running', async () => {
  const account = new TurnReport(
    {
      pool,
      names: new NameCache(pool),
      toolKind: () => null,
      isOwned: () => false,
      verbs: new Set(['deploy']),
      timeZone: 'UTC',
    },
    // What the account reads of a turn that says something before any call of it.
    { batch: [], turnId: 'turn_1', threadId: 'user_1_1' } as unknown as ConstructorParameters<typeof TurnReport>[1],
  );
  const lock = await admin.connect();
  await lock.query('begin');
  await lock.query('lock table actions, execution_turns in access exclusive mode');
  const failure = account
    .preview('I deployed shop 1.4.2 to production and restarted it.')
    .catch((error: unknown) => error);
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' order by query_start desc`;
  const { rows } = await eventually(
    () => admin.query<{ pid: number }>(waiting),
    (answer) => answer.rowCount === 2,
  );
  for (const { pid } of rows) await admin.query('select pg_terminate_backend($1)', [pid]);
  expect(await failure).toMatchObject({ code: '57P01' });
  await lock.query('rollback');
  lock.release();
  await pool.query('select 1');
  expect(unhandled).toEqual([]);
});
