import type { Pool } from 'pg';
import { listMigrations, MIGRATIONS_FOLDER } from './migration-files.ts';

/**
 * Compares the database with the migrations of this release: applied, pending, and unknown migrations of a newer release. Read-only; in a
 * new database all are pending.
 */
export async function readMigrationStatus(db: Pick<Pool, 'query'>, folder: string = MIGRATIONS_FOLDER) {
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
