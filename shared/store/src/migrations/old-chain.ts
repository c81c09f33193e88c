import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { AppError } from '@signalbox/contracts/errors';
import { MIGRATIONS_FOLDER, readMigrationFiles } from './migration-files.ts';

/*
 * Before the first release the migrations were a chain, from 001_conversation to 027_cards. Now they are one file per family, with numbers
 * of two digits. A database that recorded the chain gets what it lacks of it, and then records the families: the tables are the same.
 */

/** The end of the chain, which a database may still lack, and the last link before it. */
const FOLDER = join(MIGRATIONS_FOLDER, 'old-chain');
const LAST_LINK_BEFORE = '017_planned_once';
/** The families that the chain became. What has come since is still to run. */
const LAST_FAMILY = '11_rights';

const isLink = (name: string): boolean => /^\d{3}_/.test(name);

/** Whether this database recorded the old chain. Changes nothing. */
export async function isOldChain(db: Kysely<unknown>): Promise<boolean> {
  return (await listRecorded(db)).some(isLink);
}

/**
 * The links that this database recorded, without text, and the end of the chain. Throws MIGRATION_FAILED for a database that lacks more
 * than the end.
 */
export async function readOldChain(db: Kysely<unknown>): Promise<Readonly<Record<string, string>>> {
  const recorded = (await listRecorded(db)).filter(isLink);
  if (!recorded.includes(LAST_LINK_BEFORE)) {
    const detail = `this database has not run ${LAST_LINK_BEFORE}. Update it with the last commit that has this file, or begin with a new database`;
    throw new AppError('MIGRATION_FAILED', { detail });
  }
  return { ...Object.fromEntries(recorded.map((name) => [name, ''])), ...(await readMigrationFiles(FOLDER)) };
}

/** Records the families among these migrations instead of the chain, in one statement. Idempotent. */
export async function recordSquashed(db: Kysely<unknown>, migrations: readonly string[]): Promise<void> {
  const families = migrations.filter((name) => name <= LAST_FAMILY);
  const at = new Date().toISOString();
  await sql`with gone as (delete from kysely_migration where name ~ '^\\d{3}_')
            insert into kysely_migration (name, timestamp) select name, ${at} from unnest(${families}::text[]) as family (name)
            on conflict (name) do nothing`.execute(db);
}

/** The names of what this database has run, in order. Changes nothing. */
export async function listRecorded(db: Kysely<unknown>): Promise<readonly string[]> {
  const { rows: tables } = await sql`select from pg_class where oid = to_regclass('kysely_migration')`.execute(db);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
