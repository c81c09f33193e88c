import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@signalbox/store/migrations/migrate';
import { listMigrations, MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { readMigrationStatus } from '@signalbox/store/migrations/migration-status';
import type pg from 'pg';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createDatabase, openRawPool } from '../../support/database.ts';
import { SAVED_MIGRATIONS } from '../../support/saved-folder.ts';
import { describeSchema } from '../../support/schema.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// Before the migrations were squashed into one file per family, a database recorded a chain of 26. Such a database has to start.

const END = fileURLToPath(new URL('../../../infra/postgres/old-chain/', import.meta.url));
const migrations = await listMigrations(MIGRATIONS_FOLDER);
/** What has come since the squash, which runs on every database. */
const later = migrations.filter((name) => name > '11_rights');
let url: string;
let db: pg.Pool;
beforeEach(async () => ([url, db] = await openEmpty()));

it('a database of the old chain has the tables, functions and rights of a new one, and is up to date', async () => {
  await migrate(url, chainUpTo('027_cards'));
  await db.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
  expect((await readMigrationStatus(db)).pending).toEqual(migrations);
  expect(await migrate(url)).toEqual(later);
  expect(await readMigrationStatus(db)).toEqual({ applied: migrations, pending: [], unknown: [] });
  expect(await describeSchema(db)).toEqual(await describeNew());
  expect((await db.query('select name from users')).rows).toEqual([{ name: 'Ada' }]);
  expect(await migrate(url)).toEqual([]);
});

it('a database that stopped in the middle of the chain gets the rest of it', async () => {
  await migrate(url, chainUpTo('019_taint'));
  expect(await migrate(url)).toEqual((await listMigrations(END)).filter((name) => name > '019_taint').concat(later));
  expect(await describeSchema(db)).toEqual(await describeNew());
});

it.each<[string, string]>([
  ['indexes', 'drop index inbox_open'],
  ['columns', 'alter table runs alter column epoch drop default'],
  ['functions', 'alter function thread_taint(text, text, text) volatile'],
  ['tableRights', 'grant update on audit_events to signalbox_app'],
  ['policies', 'drop policy all_services on runs'],
])('the comparison of two databases sees a change of the %s', async (part, change) => {
  await migrate(url);
  const before = await describeSchema(db);
  await db.query(change);
  expect((await describeSchema(db))[part]).not.toEqual(before[part]);
});

it('several processes upgrade a database of the old chain once', async () => {
  await migrate(url, chainUpTo('025_ledger'));
  const ran = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  expect(ran.flat()).toEqual(['026_rights', '027_cards', ...later]);
});

it('a database that is too old is refused with what to do, and stays as it was', async () => {
  await migrate(url, chainUpTo('012_governance'));
  const before = await describeSchema(db);
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringContaining('has not run 017_planned_once') as string,
  });
  expect(await describeSchema(db)).toEqual(before);
});

/** A folder with the old chain up to and with this migration. */
function chainUpTo(last: string): string {
  const folder = makeTemporaryFolder('chain');
  for (const part of [SAVED_MIGRATIONS, END])
    for (const file of readdirSync(part)) if (file <= `${last}.sql`) copyFileSync(join(part, file), join(folder, file));
  return folder;
}

async function describeNew(): ReturnType<typeof describeSchema> {
  const database = await createDatabase();
  const pool = openRawPool(database.url);
  const described = await describeSchema(pool);
  await pool.end();
  await database.drop();
  return described;
}

async function openEmpty(): Promise<[string, pg.Pool]> {
  const database = await createDatabase('template0');
  const pool = openRawPool(database.url);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return [database.url, pool];
}
