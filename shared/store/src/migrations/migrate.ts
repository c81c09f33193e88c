import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, Migrator, PostgresDialect, sql, type Migration } from 'kysely';
import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import { grantServiceRights } from './service-logins.ts';

const FOLDER = fileURLToPath(new URL('../../../../infra/postgres/', import.meta.url));

/**
 * Brings the database up to date with the files of infra/postgres, in order of their names. Returns the names that ran now.
 * Safe to call from several processes at once (the migrator holds a lock) and again after a crash (one transaction for all). Then
 * each service gets the rights of its role, whether a migration ran or not. Throws MIGRATION_FAILED with the file's name.
 */
export async function migrate(databaseUrl: string, folder: string = FOLDER): Promise<readonly string[]> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 2 }) }),
  });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: () => readMigrations(folder) } });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error) {
      const failed = results.find((result) => result.status === 'Error')?.migrationName ?? 'the migration table';
      throw new AppError(
        'MIGRATION_FAILED',
        { detail: `${failed}: ${error instanceof Error ? error.message : String(error)}` },
        error,
      );
    }
    if (folder === FOLDER) await grantServiceRights(databaseUrl);
    return results.map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}

async function readMigrations(folder: string): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(join(folder, file), 'utf8');
    return [file.replace(/\.sql$/, ''), { up: async (db) => void (await sql.raw(text).execute(db)) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
