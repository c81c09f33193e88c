import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { readMigrationStatus } from '../migrations/migration-status.ts';

/** A table as it is stored in a backup. Generated columns and vectors are left out, because Postgres and the job service make them again. */
export interface StoredTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** A sequence and its last value; null for one that was never used. */
export interface StoredSequence {
  readonly schema: string;
  readonly name: string;
  readonly last: string | null;
}

/** The database at one moment: `rows` yields a table in Postgres's text format for COPY. Close it when it has been read. */
export interface DatabaseDump {
  readonly migrations: readonly string[];
  readonly at: Date;
  readonly tables: readonly StoredTable[];
  readonly sequences: readonly StoredSequence[];
  rows(table: StoredTable): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Every table that is not of Postgres itself. A partitioned table is read through its partitions. */
const TABLES = `
  select n.nspname as schema, c.relname as name,
         array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    join pg_type t on t.oid = a.atttypid
   where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
     and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and t.typname not in ('vector', 'halfvec')
   group by 1, 2 order by 1, 2`;

const SEQUENCES = `select schemaname as schema, sequencename as name, last_value::text as last from pg_sequences order by 1, 2`;

/**
 * Opens the database for reading at one moment, while people go on writing. `databaseUrl` needs the login of the owner: Postgres refuses
 * the copy of a table of which this login would see only a part.
 */
export async function openDatabaseDump(databaseUrl: string): Promise<DatabaseDump> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'signalbox-backup' });
  client.on('error', () => undefined); // the query that is under way fails with it
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local row_security = off');
    const { rows: now } = await client.query<{ at: Date }>('select clock_timestamp() as at');
    const { applied } = await readMigrationStatus(client);
    const { rows: tables } = await client.query<StoredTable>(TABLES);
    const { rows: sequences } = await client.query<StoredSequence>(SEQUENCES);
    return {
      migrations: applied,
      at: now[0]?.at ?? new Date(),
      tables,
      sequences,
      rows: ({ schema, name, columns }) =>
        client.query(copyTo(`copy ${toTarget(schema, name)} (${columns.map(quote).join(', ')}) to stdout`)),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

const quote = (name: string): string => pg.escapeIdentifier(name);

/** Quotes the name of a table for SQL. */
export function toTarget(schema: string, name: string): string {
  return `${quote(schema)}.${quote(name)}`;
}
