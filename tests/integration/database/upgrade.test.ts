import { migrate } from '@signalbox/store/migrations/migrate';
import { listMigrations, MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { readMigrationStatus } from '@signalbox/store/migrations/migration-status';
import pg from 'pg';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createDatabase, openRawPool } from '../../support/database.ts';
import { dropCopy, writeSavedMigrations, type SavedFolder } from '../../support/saved-folder.ts';
import { describeSchema } from '../../support/schema.ts';
import { migrateWithSamples } from '../../support/samples.ts';

// Before version 0.2, migrations had two digits. Such a database has to start, and a copy of it is made first.

const migrations = await listMigrations(MIGRATIONS_FOLDER);
let url: string;
let db: pg.Pool;
beforeEach(async () => ([url, db] = await openEmpty()));

it.each<[SavedFolder, string]>([
  ['early', '34'],
  ['late', '38'],
  ['late', '52'],
])(
  'a database of the %s release after migration %s is upgraded to the schema of a new database',
  async (name, last) => {
    await migrate(url, writeSavedMigrations(name, last));
    await db.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
    expect((await readMigrationStatus(db)).pending).toEqual(migrations);
    expect(await migrateWithSamples(url)).toEqual([...migrations, 'bank/01_cards', 'bank/02_mortgage']);
    expect(await readMigrationStatus(db)).toEqual({ applied: migrations, pending: [], unknown: [] });
    expect(await describeSchema(db)).toEqual(await describeNew());
    expect((await db.query('select name from users')).rows).toEqual([{ name: 'Ada' }]);
    expect(await migrateWithSamples(url)).toEqual([]);
  },
);

it('an upgrade keeps a copy of the database from before the upgrade', async () => {
  await migrate(url, writeSavedMigrations('early'));
  await db.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
  const before = await describeSchema(db);
  await migrate(url);
  const copy = openRawPool(`${url}_before_0_2`);
  onTestFinished(() => copy.end());
  expect(await describeSchema(copy)).toEqual(before);
  expect((await copy.query('select name from users')).rows).toEqual([{ name: 'Ada' }]);
});

it('an upgrade that cannot copy the database changes nothing, and says why and what to do', async () => {
  await migrate(url, writeSavedMigrations('early'));
  const before = await describeSchema(db);
  const service = await db.connect();
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringMatching(/copied .*accessed by other users.* Stop all services/s) as string,
  });
  service.release();
  expect(await describeSchema(db)).toEqual(before);
});

it.each<[string, string]>([
  ['indexes', 'drop index inbox_open'],
  ['columns', 'alter table runs alter column epoch drop default'],
  ['functions', 'alter function taint_thread(text, text, timestamptz) stable'],
  ['tableRights', 'grant update on audit_events to signalbox_app'],
  ['policies', 'drop policy all_services on runs'],
])('the comparison of two database schemas finds a change of the %s', async (part, change) => {
  await migrate(url);
  const before = await describeSchema(db);
  await db.query(change);
  expect((await describeSchema(db))[part]).not.toEqual(before[part]);
});

it('several processes that upgrade one database run each migration once', async () => {
  await migrate(url, writeSavedMigrations('late'));
  const ran = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  // One process may upgrade and another run what came after it.
  expect(ran.flat().toSorted()).toEqual(migrations);
});

it('a database that is too old to upgrade is refused with a remedy, and is not changed', async () => {
  await migrate(url, writeSavedMigrations('early', '33'));
  const before = await describeSchema(db);
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringContaining('has not run 34_plans_of_queues') as string,
  });
  expect(await describeSchema(db)).toEqual(before);
});

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
  // An upgrade copies the database only while nobody is connected.
  const pool = new pg.Pool({ connectionString: database.url, idleTimeoutMillis: 1 });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
    await dropCopy(database);
  });
  return [database.url, pool];
}
