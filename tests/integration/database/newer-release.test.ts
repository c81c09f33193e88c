import { migrateDatabase } from '@signalbox/local/postgres/migrate-database';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase, openRawPool } from '../../support/database.ts';

it('a start on the data of a newer release is refused with a remedy, and changes nothing', async () => {
  const database = await createDatabase();
  const pool = openRawPool(database.url);
  onTestFinished(() => database.drop());
  onTestFinished(() => pool.end());
  await pool.query(`insert into kysely_migration (name, timestamp) values ('998_newer', 'now'), ('999_newer', 'now')`);
  await expect(migrateDatabase(database.url, {})).rejects.toThrow(
    /This database is of a newer release \(998_newer, 999_newer is unknown here\)\. Run that release .* backup/,
  );
  await pool.query(`delete from kysely_migration where name like '%newer'`);
  expect(await migrateDatabase(database.url, {})).toContain('up to date');
});
