import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { AppError } from '@signalbox/contracts/errors';
import { readMigrationFiles } from './migration-files.ts';
import { getMigrationTable, type PluginTables } from './plugin-tables.ts';

/**
 * Runs the migrations of a plug-in that its migration table does not record yet, in one transaction. Returns their names, such as
 * `bank/01_cards`. Throws MIGRATION_FAILED for broken SQL, and for a migration that changes a table outside of the plug-in.
 */
export async function migratePlugin(db: Kysely<unknown>, plugin: PluginTables): Promise<readonly string[]> {
  const files = await readMigrationFiles(plugin.folder);
  const migrations = Object.entries(files).map(([name, text]): [string, Migration] => [
    name,
    {
      up: async (on) => {
        const before = await readTables(on);
        await sql.raw(text).execute(on);
        await refuseForeignChange(on, plugin, before);
      },
    },
  ]);
  const migrationTableName = getMigrationTable(plugin.name);
  const { error, results = [] } = await new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(migrations)) },
    migrationTableName,
    migrationLockTableName: `${migrationTableName}_lock`,
  }).migrateToLatest();
  if (error) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName ?? 'its migration table';
    const detail = `${plugin.name}/${failed}: ${error instanceof Error ? error.message : String(error)}`;
    throw new AppError('MIGRATION_FAILED', { detail }, error);
  }
  return results.map(({ migrationName }) => `${plugin.name}/${migrationName}`);
}

/** Throws when a migration changed, filled or removed a table of others. `before`: state of the tables before the migration. */
async function refuseForeignChange(
  db: Kysely<unknown>,
  { name, tables }: PluginTables,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const after = await readTables(db);
  const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
    (table) => before.get(table) !== after.get(table),
  );
  const foreign = touched.find((table) => !Object.hasOwn(tables, table) && !table.startsWith(getMigrationTable(name)));
  if (foreign === undefined) return;
  throw new Error(
    `it changes the table ${foreign}, which is none of its own. A table of the plug-in is named in its \`tables\`; the core's stay as they are.`,
  );
}

/** Reads all tables, each with a text that differs once this transaction has changed the table's definition or rows. */
async function readTables(db: Kysely<unknown>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ table: string; state: string }>`
    select c.relname as "table", concat_ws(' ', c.oid, c.xmin,
        (select string_agg(a.xmin::text, ',' order by a.attnum) from pg_attribute a where a.attrelid = c.oid),
        (select string_agg(k.oid::text || k.xmin, ',' order by k.oid) from pg_constraint k where c.oid in (k.conrelid, k.confrelid)),
        (select string_agg(t.oid::text || t.xmin, ',' order by t.oid) from pg_trigger t where t.tgrelid = c.oid),
        (select string_agg(p.oid::text || p.xmin, ',' order by p.oid) from pg_policy p where p.polrelid = c.oid),
        pg_stat_get_xact_tuples_inserted(c.oid), pg_stat_get_xact_tuples_updated(c.oid),
        pg_stat_get_xact_tuples_deleted(c.oid)) as state
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`.execute(db);
  return new Map(rows.map(({ table, state }) => [table, state]));
}
