import { Kysely, Migrator, PostgresDialect, sql, type Migration } from 'kysely';
import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import { MIGRATIONS_FOLDER, readMigrationFiles } from './migration-files.ts';
import { grantServiceRights } from './service-logins.ts';
import { isOldChain, listRecorded, readOldChain, recordSquashed } from './old-chain.ts';

/** Any fixed number: two processes must not upgrade a database of the old chain at the same time. */
const UPGRADE_LOCK = 7_270_021;

/**
 * Brings the database up to date with the files of infra/postgres, in order of their names. Returns the names that ran now.
 * Safe to call from several processes at once (the migrator holds a lock) and again after a crash (one transaction for all). A database
 * that recorded the chain of before the squash gets what it lacks of that first. Then each service gets the rights of its role,
 * whether a migration ran or not. Throws DATABASE_NEWER, and MIGRATION_FAILED with the file's name.
 */
export async function migrate(databaseUrl: string, folder: string = MIGRATIONS_FOLDER): Promise<readonly string[]> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 3 }) }),
  });
  try {
    if (folder !== MIGRATIONS_FOLDER) return await run(db, await readMigrationFiles(folder));
    const files = await readMigrationFiles(folder);
    const upgraded = await upgradeOldChain(db, Object.keys(files));
    const unknown = (await listRecorded(db)).filter((name) => files[name] === undefined);
    if (unknown.length > 0) throw new AppError('DATABASE_NEWER', { names: unknown.join(', ') });
    const ran = [...upgraded, ...(await run(db, files))];
    await grantServiceRights(databaseUrl);
    return ran;
  } finally {
    await db.destroy();
  }
}

/** The lock is held until the pool ends, so a second process finds the squashed names. */
async function upgradeOldChain(db: Kysely<unknown>, migrations: readonly string[]): Promise<readonly string[]> {
  if (!(await isOldChain(db))) return [];
  return db.connection().execute(async (holder) => {
    await sql`select pg_advisory_lock(${UPGRADE_LOCK})`.execute(holder);
    if (!(await isOldChain(db))) return [];
    const ran = await run(db, await readOldChain(db));
    await recordSquashed(db, migrations);
    return ran;
  });
}

async function run(db: Kysely<unknown>, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const migrations = Object.entries(files).map(([name, text]): [string, Migration] => [
    name,
    { up: async (on) => void (await sql.raw(text).execute(on)) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(migrations) };
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName ?? 'the migration table';
    const detail = `${failed}: ${error instanceof Error ? error.message : String(error)}`;
    throw new AppError('MIGRATION_FAILED', { detail }, error);
  }
  return results.map((result) => result.migrationName);
}
