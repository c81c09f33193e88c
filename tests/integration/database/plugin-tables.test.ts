import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@signalbox/store/migrations/migrate';
import { MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import type { PluginTables } from '@signalbox/store/migrations/plugin-tables';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { migrateWithSamples } from '../../support/samples.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** A plug-in whose one migration is this SQL. */
function pluginOf(sql: string, more: Partial<PluginTables> = {}): PluginTables {
  const folder = makeTemporaryFolder('plugin');
  writeFileSync(join(folder, '01_desk.sql'), sql);
  return { name: 'desk', folder, tables: { desk_notes: { worker: 'select, insert' } }, rows: {}, ...more };
}

const run = (plugin: PluginTables) => migrate(database.url, MIGRATIONS_FOLDER, [plugin]);
const has = async (what: string): Promise<boolean> =>
  (await owner.query<{ has: boolean }>(`select ${what} as has`)).rows[0]?.has ?? false;

it.each([
  ['adds a column to one', 'alter table users add column hat text'],
  ['fills one', `insert into settings (key, value) values ('desk', '1')`],
  ['removes one', 'drop table voice_notes'],
  ['binds rows of one', 'create table desk_notes (user_key text references users (user_key))'],
  ['watches one', 'create trigger desk after insert on inbox for each row execute function effect_noted()'],
  ['opens one to a service', 'grant all on secrets to signalbox_agents'],
  ['makes one that it does not name', 'create table desk_secrets (text text)'],
])('a migration of a plug-in that %s is rolled back, and the table is named', async (_, sql) => {
  await expect(run(pluginOf(sql))).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
  await expect(run(pluginOf(sql))).rejects.toThrow(/desk\/01_desk: it changes the table \w+, which is none of its own/);
  expect(await has(`to_regclass('desk_notes') is null and to_regclass('voice_notes') is not null`)).toBe(true);
});

it('a migration grants services the rights that a plug-in declares, and revokes those it no longer declares', async () => {
  const plugin = pluginOf('create table desk_notes (user_key text, text text)', {
    rows: { desk_notes: { worker: `user_key <> 'eve'` } },
  });
  expect(await run(plugin)).toEqual(['desk/01_desk']);
  expect(await run(plugin)).toEqual([]);
  const may = (service: string, right: string) =>
    has(`has_table_privilege('signalbox_${service}', 'desk_notes', '${right}')`);
  expect([await may('worker', 'insert'), await may('worker', 'delete'), await may('gateway', 'select')]).toEqual([
    true,
    false,
    false,
  ]);
  await owner.query(`insert into desk_notes values ('eve', 'hers'), ('ada', 'hers too')`);
  await owner.query('begin; set local role signalbox_worker');
  expect((await owner.query('select user_key from desk_notes')).rows).toEqual([{ user_key: 'ada' }]);
  await owner.query('rollback');
  await migrateWithSamples(database.url);
  expect([await may('worker', 'select'), await has(`to_regclass('desk_notes') is not null`)]).toEqual([false, true]);
});
