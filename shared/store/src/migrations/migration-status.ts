import type { Queryable } from '../pool.ts';
import { listMigrations, MIGRATIONS_FOLDER } from './migration-files.ts';

/** Migrations that ran, those that are still to run, and those that ran but that this release does not know. */
export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly unknown: readonly string[];
}

/** Compares the database with the migrations of this release. Changes nothing; a new database has all of them pending. */
export async function readMigrationStatus(db: Queryable, folder: string = MIGRATIONS_FOLDER): Promise<MigrationStatus> {
  const known = await listMigrations(folder);
  const { rows: tables } = await db.query<{ there: boolean }>(
    `select to_regclass('kysely_migration') is not null as there`,
  );
  const { rows } = tables[0]?.there
    ? await db.query<{ name: string }>('select name from kysely_migration order by name')
    : { rows: [] };
  const applied = rows.map((row) => row.name);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}
