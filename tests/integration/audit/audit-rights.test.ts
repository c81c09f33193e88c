import { appendAudit } from '@signalbox/store/audit/audit';
import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleEvent, openAuditHarness, type AuditHarness } from './harness.ts';

let harness: AuditHarness;
beforeAll(async () => {
  harness = await openAuditHarness();
  await appendAudit(harness.pool, [1, 2, 3].map(exampleEvent));
  await harness.sealAll();
});
afterAll(() => harness.close());

const count = async (): Promise<unknown> => {
  const { rows } = await harness.owner.query(
    `select (select count(*)::int from audit_events) as events, (select count(*)::int from audit_chain) as places,
       (select count(*)::int from audit_checkpoints) as checkpoints`,
  );
  return rows[0];
};

const TABLES = ['audit_events', 'audit_chain', 'audit_checkpoints', 'audit_log', 'audit_unsealed'] as const;

describe('the database role of the services', () => {
  it.each(
    TABLES.flatMap((table) => [
      `delete from ${table}`,
      `truncate ${table} cascade`,
      `insert into ${table} default values`,
      `alter table ${table} disable trigger all`,
      `drop table ${table}`,
    ]),
  )('may not %s', async (statement) => {
    await expect(harness.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await count()).toEqual({ events: 3, places: 3, checkpoints: 1 });
  });

  it.each([
    `update audit_events set actor = '666'`,
    `update audit_chain set seq = seq + 10`,
    `update audit_checkpoints set signature = ''`,
    `update audit_log set log_id = gen_random_uuid()`,
    `insert into audit_events (kind, actor, data) values ('action.settled', '666', '{}')`,
    `create or replace function audit_refuse() returns trigger language plpgsql as $$ begin return null; end $$`,
  ])('may not %s', async (statement) => {
    await expect(harness.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('is set on every connection of a service, and can read and insert into every table that services use', async () => {
    const { rows } = await harness.pool.query('select current_user as who, session_user as login');
    expect(rows[0]).toMatchObject({ who: 'signalbox_app' });
    expect(rows[0]).not.toMatchObject({ login: 'signalbox_app' });
    const { rows: missing } = await harness.owner.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%' and relname not like 'audit%'
          and not (has_table_privilege('signalbox_app', oid, 'select') and has_table_privilege('signalbox_app', oid, 'insert'))`,
    );
    // A trigger writes the version of the names, with the rights of its owner.
    expect(missing).toEqual([{ name: 'names_version' }]);
  });

  it('is granted rights on tables of later migrations', async () => {
    await harness.owner.query('create table made_later (id bigint generated always as identity, x int)');
    await harness.pool.query('insert into made_later (x) values (1)');
    expect((await harness.pool.query('update made_later set x = 2 returning x')).rows).toEqual([{ x: 2 }]);
  });

  it('can seal only waiting events, and only at the end of the chain', async () => {
    await appendAudit(harness.pool, [exampleEvent(4)]);
    const { rows } = await harness.pool.query<{ id: string }>('select event_id as id from audit_unsealed');
    const leaf = Buffer.alloc(32, 1);
    const seal = (seq: number, ids: readonly string[]) =>
      harness.pool.query('select audit_seal($1, $2, $3, 2) as hash', [seq, ids, ids.map(() => leaf)]);
    expect((await seal(2, [rows[0]?.id ?? ''])).rows).toEqual([{ hash: null }]);
    expect((await seal(6, [rows[0]?.id ?? ''])).rows).toEqual([{ hash: null }]);
    await expect(seal(4, ['1'])).rejects.toThrow(/0 were waiting/);
    expect(await count()).toEqual({ events: 4, places: 3, checkpoints: 1 });
  });
});

describe('the owner of the audit tables', () => {
  it.each([
    `update audit_events set actor = '666' where event_id = 1`,
    'delete from audit_chain where seq = 2',
    'truncate audit_events, audit_chain',
    'delete from audit_checkpoints',
    'update audit_log set log_id = gen_random_uuid()',
  ])('is refused with a remedy by a trigger for %s', async (statement) => {
    await expect(harness.owner.query(statement)).rejects.toMatchObject({
      message: expect.stringMatching(/refused: what was recorded stays as it is/),
      hint: expect.stringContaining('append an event'),
    });
  });
});

it('a login that lacks the role of the services gets an error with who can grant the role', async () => {
  const login = `stranger_${Math.random().toString(36).slice(2, 8)}`;
  await harness.owner.query(`create role ${login} login password 'x'`);
  const url = new URL(harness.databaseUrl);
  url.username = login;
  url.password = 'x';
  const pool = openPool(url.href, createLog('test', 'silent'), { name: 'stranger', max: 1 });
  try {
    await expect(pool.query('select 1')).rejects.toMatchObject({
      code: 'DATABASE_ROLE_MISSING',
      message: expect.stringContaining('grant signalbox_app'),
    });
    await harness.owner.query(`grant signalbox_app to ${login}`);
    await expect(pool.query('select count(*) from audit_events')).resolves.toMatchObject({ rowCount: 1 });
  } finally {
    await pool.end();
    await harness.owner.query(`drop role ${login}`);
  }
});
