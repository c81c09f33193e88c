import { appendAudit } from '@signalbox/store/audit/audit';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const EVENT: AuditEvent = {
  kind: 'action.proposed',
  actor: '1001',
  threadId: 'thr_1',
  turnId: 'turn_1',
  actionId: 'thr_1/turn_1/1',
  approvalId: null,
  policyVersion: null,
  data: { tool: 'restart_service', arguments: { service: 'api', times: 1.5 } },
};

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'audit', max: 3 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const readEvents = async (): Promise<readonly Record<string, unknown>[]> =>
  (await pool.query<Record<string, unknown>>('select * from audit_events order by event_id')).rows;

describe('an audit event', () => {
  it('is stored exactly when the transaction that it belongs to commits', async () => {
    const before = (await readEvents()).length;
    await expect(
      withTransaction(pool, async (db) => {
        await appendAudit(db, [EVENT]);
        throw new Error('the effect was not recorded');
      }),
    ).rejects.toThrow('the effect was not recorded');
    expect(await readEvents()).toHaveLength(before);
    await withTransaction(pool, (db) => appendAudit(db, [EVENT, { ...EVENT, kind: 'action.started', turnId: null }]));
    const rows = await readEvents();
    expect(rows).toHaveLength(before + 2);
    expect(rows.at(-2)).toMatchObject({
      kind: 'action.proposed',
      actor: '1001',
      thread_id: 'thr_1',
      data: EVENT.data,
      policy_version: null,
    });
    expect(rows.at(-1)).toMatchObject({ kind: 'action.started', turn_id: null, recorded_at: expect.any(Date) });
    const { rows: waiting } = await pool.query('select event_id from audit_unsealed order by event_id');
    expect(waiting.slice(-2)).toEqual(rows.slice(-2).map(({ event_id }) => ({ event_id })));
  });

  it('of more than 64 kB is refused with its size and a remedy', async () => {
    const before = (await readEvents()).length;
    const large = { ...EVENT, data: { output: 'é'.repeat(33 * 1024) } };
    await expect(appendAudit(pool, [EVENT, large])).rejects.toMatchObject({
      code: 'AUDIT_EVENT_REFUSED',
      message: expect.stringMatching(/action\.proposed.*675\d\d bytes.*65536.*record its hash/),
    });
    expect(await readEvents()).toHaveLength(before);
    await appendAudit(pool, [{ ...EVENT, data: { output: '"\n'.repeat(16_000) } }]);
  });

  it('that violates its schema is refused with the name of the field', async () => {
    const broken = { ...EVENT, actor: '' };
    await expect(appendAudit(pool, [broken])).rejects.toMatchObject({ message: expect.stringContaining('actor') });
  });

  it('stores the replacement character for text that Postgres cannot hold', async () => {
    await appendAudit(pool, [{ ...EVENT, data: { 'a\0b': ['c\0d', { e: '\ud800f' }] } }]);
    expect((await readEvents()).at(-1)).toMatchObject({ data: { 'a\uFFFDb': ['c\uFFFDd', { e: '\uFFFDf' }] } });
  });

  it('does not wait for another open transaction that records events', async () => {
    const before = (await readEvents()).length;
    const slow = await pool.connect();
    try {
      await slow.query('begin');
      await appendAudit(slow, [EVENT]);
      await withTransaction(pool, async (db) => {
        await db.query(`set local lock_timeout = '50ms'`);
        await appendAudit(db, [EVENT]);
      });
      expect(await readEvents()).toHaveLength(before + 1);
      await slow.query('commit');
    } finally {
      slow.release();
    }
  });
});
