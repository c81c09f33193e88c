import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import { MIGRATIONS_FOLDER, readMigrationFiles } from './migration-files.ts';
import { migratePlugin } from './migrate-plugin.ts';
import { readMigrationStatus } from './migration-status.ts';
import type { PluginTables } from './plugin-tables.ts';
import { grantServiceRights } from './service-logins.ts';
import { upgradeDatabase } from './upgrade.ts';
import { addVectorColumns } from './vector-columns.ts';

/**
 * Runs the migrations in infra/postgres in order of their names, then those of plug-ins. First upgrades a database from before version
 * 0.2. Always adds the columns of vectors where the server can hold them, and grants each service the rights of its role. Returns the names of the migrations that ran. Safe to call from several
 * processes (the migrator holds a lock) and after a crash (one transaction). Throws DATABASE_NEWER, and MIGRATION_FAILED with the name of
 * the file. With `until`, the migration of this name is the last one to run.
 */
export async function migrate(
  databaseUrl: string,
  folder: string = MIGRATIONS_FOLDER,
  plugins: readonly PluginTables[] = [],
  until?: string,
): Promise<readonly string[]> {
  const upgraded = folder === MIGRATIONS_FOLDER ? await upgradeDatabase(databaseUrl) : [];
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { unknown } = await readMigrationStatus(pool, folder);
    if (unknown.length > 0) throw new AppError('DATABASE_NEWER', { names: unknown.join(', ') });
    const ran = [...upgraded, ...(await run(db, await readMigrationFiles(folder), until))];
    for (const plugin of plugins) ran.push(...(await migratePlugin(db, plugin)));
    if (folder === MIGRATIONS_FOLDER) {
      await addVectorColumns(pool);
      await grantServiceRights(databaseUrl, plugins);
    }
    return ran;
  } finally {
    await db.destroy();
  }
}

async function run(
  db: Kysely<unknown>,
  files: Readonly<Record<string, string>>,
  until: string | undefined,
): Promise<readonly string[]> {
  const migrations = Object.entries(files).map(([name, text]): [string, Migration] => [
    name,
    { up: async (on) => void (await sql.raw(text).execute(on)) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(migrations) };
  const migrator = new Migrator({ db, provider });
  const { error, results = [] } = await (until === undefined ? migrator.migrateToLatest() : migrator.migrateTo(until));
  if (error) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName ?? 'the migration table';
    const detail = `${failed}: ${error instanceof Error ? error.message : String(error)}`;
    throw new AppError('MIGRATION_FAILED', { detail }, error);
  }
  return results.map((result) => result.migrationName);
}
