import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { AppError } from '@signalbox/contracts/errors';
import { RESTORED_COPY } from './restored-copy.ts';
import { toTarget, type StoredSequence, type StoredTable } from './dump-database.ts';

/** What a load takes from a backup, in the order in which it was stored. */
export type StoredPart =
  | { readonly table: StoredTable; readonly rows: AsyncIterable<Buffer> }
  | { readonly sequences: readonly StoredSequence[] };

/** Foreign keys of the tables, which are checked again when all rows are there. */
const FOREIGN_KEYS = `
  select n.nspname as schema, c.relname as name, k.conname as key, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where k.contype = 'f' and k.conparentid = 0 and n.nspname not like 'pg\\_%'`;

const UNDEFINED_TABLE = '42P01';

interface ForeignKey {
  readonly schema: string;
  readonly name: string;
  readonly key: string;
  readonly definition: string;
}

/** Throws DATABASE_IN_USE when somebody has used this database: people or messages are in it. */
export async function requireUnused(databaseUrl: string): Promise<void> {
  await connect(databaseUrl, async (db) => {
    const { rows } = await db.query<{ there: boolean }>(`select to_regclass('public.inbox') is not null as there`);
    if (!rows[0]?.there) return;
    const { rowCount } = await db.query(`select from users where role is not null union all select from inbox limit 1`);
    if (rowCount) throw new AppError('DATABASE_IN_USE', { name: new URL(databaseUrl).pathname.slice(1) });
  });
}

/**
 * Loads the rows of a backup into a database with the same migrations, in one transaction, and marks it as a restored copy that nothing
 * may serve yet. `databaseUrl` needs the login of the owner. Throws BACKUP_UNREADABLE when the tables differ; then nothing has changed.
 */
export async function loadDatabase(databaseUrl: string, at: string, parts: AsyncIterable<StoredPart>): Promise<void> {
  await connect(databaseUrl, async (db) => {
    await db.query('begin');
    const { rows: here } = await db.query<{ target: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as target from pg_tables
        where schemaname not like 'pg\\_%' and schemaname <> 'information_schema'`,
    );
    const { rows: keys } = await db.query<ForeignKey>(FOREIGN_KEYS);
    for (const { schema, name, key } of keys)
      await db.query(`alter table ${toTarget(schema, name)} drop constraint ${pg.escapeIdentifier(key)}`);
    // Triggers have done their work before the rows were stored.
    for (const { target } of here) await db.query(`alter table ${target} disable trigger user`);
    await db.query(`truncate ${here.map(({ target }) => target).join(', ')}`);
    for await (const part of parts)
      if ('table' in part) await loadTable(db, part.table, part.rows);
      else await setSequences(db, part.sequences);
    for (const { schema, name, key, definition } of keys)
      await db.query(`alter table ${toTarget(schema, name)} add constraint ${pg.escapeIdentifier(key)} ${definition}`);
    for (const { target } of here) await db.query(`alter table ${target} enable trigger user`);
    await db.query(
      `insert into settings (key, value) values ($1, jsonb_build_object('backupAt', $2::text, 'restoredAt', now()))
       on conflict (key) do update set value = excluded.value, updated_at = now()`,
      [RESTORED_COPY, at],
    );
    await db.query('commit');
    await db.query('analyze');
  });
}

async function setSequences(db: pg.Client, sequences: readonly StoredSequence[]): Promise<void> {
  for (const { schema, name, last } of sequences)
    if (last !== null) await db.query('select setval($1::regclass, $2::bigint)', [toTarget(schema, name), last]);
}

async function loadTable(db: pg.Client, { schema, name, columns }: StoredTable, rows: AsyncIterable<Buffer>) {
  const target = toTarget(schema, name);
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  try {
    await pipeline(Readable.from(rows), db.query(copyFrom(`copy ${target} (${list}) from stdin`)));
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE)
      throw new AppError(
        'RESTORE_STOPPED',
        { detail: `there is no table ${target} here. Set AGENTS to the plug-ins of the original` },
        error,
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('BACKUP_UNREADABLE', { detail: `the table ${target}: ${reason}` }, error);
  }
}

async function connect<T>(databaseUrl: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: databaseUrl, application_name: 'signalbox-restore' });
  db.on('error', () => undefined); // the query that is under way fails with it
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
