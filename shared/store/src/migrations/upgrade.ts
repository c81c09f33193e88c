import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import { MIGRATIONS_FOLDER, readMigrationFiles } from './migration-files.ts';

/*
 * Migrations from before version 0.2 have numbers of two digits, from 01_people to 52_grants. Later migrations have one file per family
 * of tables. An upgrade copies an older database, adds missing tables and functions of version 0.2, and records its migrations.
 */

const SCRIPT = join(MIGRATIONS_FOLDER, 'upgrade/from-0.1.sql');
const FUNCTIONS = '-- The functions of the families are made here.';
/** Oldest migration from which the upgrade script can start. */
const OLDEST = '34_plans_of_queues';
const OLD_NAME = /^0?\d\d_/;
/** The newest migration of version 0.2. Later ones run after the upgrade, as on any database. */
const LAST = '113_audit';

/** Key of an advisory lock, chosen at random: two processes must not upgrade one database at the same time. */
const UPGRADE_LOCK = 7_270_021;
/**
 * Upgrades a database from before version 0.2, after copying it to `<name>_before_0_2`. Returns the names of the migrations now recorded;
 * empty for a new or upgraded database. Safe to call from several processes. When it throws MIGRATION_FAILED, nothing has changed.
 */
export async function upgradeDatabase(databaseUrl: string): Promise<readonly string[]> {
  if (!isBefore(await connect(databaseUrl, listRecorded))) return [];
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  return connect(withDatabase(databaseUrl, 'postgres'), async (server) => {
    await server.query('select pg_advisory_lock($1)', [UPGRADE_LOCK]);
    const recorded = await connect(databaseUrl, listRecorded);
    if (!isBefore(recorded)) return []; // Another process has upgraded the database
    if (!recorded.includes(OLDEST))
      throw failure(
        `this database has not run ${OLDEST}. Start commit e6716913 on it once, or begin with a new database`,
      );
    await copyDatabase(server, name);
    return connect(databaseUrl, bringUp);
  });
}

const isBefore = (recorded: readonly string[]): boolean => recorded.some((name) => OLD_NAME.test(name));

/** An existing copy belongs to a failed upgrade, since which the database has not changed. */
async function copyDatabase(server: pg.Client, name: string): Promise<void> {
  const copy = `${name}_before_0_2`;
  const { rowCount } = await server.query('select from pg_database where datname = $1', [copy]);
  if (rowCount) return;
  await server
    .query(`create database ${pg.escapeIdentifier(copy)} template ${pg.escapeIdentifier(name)}`)
    .catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const remedy = `Stop all services, and let its owner create databases: alter role … createdb`;
      throw failure(`it could not be copied to ${copy} first (${reason}). ${remedy}`, cause);
    });
}

async function bringUp(db: pg.Client): Promise<readonly string[]> {
  const files = Object.entries(await readMigrationFiles(MIGRATIONS_FOLDER)).filter(([name]) => name <= LAST);
  const families = files.map(([family]) => family);
  const functions = files.flatMap(([, text]) => text.match(/^create function [^$]*\$\$[\s\S]*?\$\$;$/gm) ?? []);
  try {
    const [before = '', after = ''] = (await readFile(SCRIPT, 'utf8')).split(FUNCTIONS);
    await db.query('begin');
    await db.query(before);
    await db.query('set local check_function_bodies = off');
    for (const text of functions) await db.query(text.replace('create function', 'create or replace function'));
    await db.query(after);
    await db.query('delete from kysely_migration where name ~ $1', [OLD_NAME.source]);
    await db.query(
      `insert into kysely_migration (name, timestamp) select name, $2 from unnest($1::text[]) as family (name)`,
      [families, new Date().toISOString()],
    );
    await db.query('commit');
  } catch (cause) {
    throw failure(`the upgrade to version 0.2: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  return families;
}

async function listRecorded(db: pg.Client): Promise<readonly string[]> {
  const { rows: tables } = await db.query(`select from pg_class where oid = to_regclass('kysely_migration')`);
  if (tables.length === 0) return [];
  const { rows } = await db.query<{ name: string }>('select name from kysely_migration');
  return rows.map((row) => row.name);
}

async function connect<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url, application_name: 'signalbox-upgrade' });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

function withDatabase(databaseUrl: string, name: string): string {
  return Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href;
}

const failure = (detail: string, cause?: unknown): AppError => new AppError('MIGRATION_FAILED', { detail }, cause);
