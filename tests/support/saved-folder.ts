import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { SCHEMA } from '@signalbox/worker/checkpoints/set-up';
import pg from 'pg';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from './database.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Rows of each table as JSON, written by Postgres, and the small files of a data folder: see tests/fixtures/saved-folder. */
const Saved = z.object({ tables: z.record(z.string(), z.string()), files: z.record(z.string(), z.string()) });

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** The migrations that the release of the fixture had: all of the old chain but its end. */
export const SAVED_MIGRATIONS = join(REPOSITORY, 'tests/fixtures/saved-folder/migrations');

/** A data folder and a database as an earlier release left them: nothing of this one has run in them yet. */
export async function restoreSavedFolder(): Promise<{ readonly database: TestDatabase; readonly dataDir: string }> {
  const file = join(REPOSITORY, 'tests/fixtures/saved-folder/saved-folder.json.gz');
  const saved = Saved.parse(JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')));
  const dataDir = makeTemporaryFolder('saved');
  for (const [name, text] of Object.entries(saved.files)) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true });
    writeFileSync(join(dataDir, name), text, { mode: name.endsWith('.pub') ? 0o644 : 0o600 });
  }
  const database = await createDatabase('template0');
  await migrate(database.url, SAVED_MIGRATIONS);
  const owner = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
  await new PostgresSaver(owner, undefined, { schema: SCHEMA }).setup(); // as that release made them
  await owner.end();
  await withClient(database.url, (db) => putRows(db, saved.tables));
  return { database, dataDir };
}

async function putRows(db: pg.Client, tables: Readonly<Record<string, string>>): Promise<void> {
  await db.query(`set session_replication_role = 'replica'`); // neither triggers nor the order of tables matter
  for (const [table, rows] of Object.entries(tables)) {
    if (table.startsWith('public.kysely')) continue; // migrate has just written what stands there
    const { rows: columns } = await db.query<{ name: string; identity: boolean }>(
      `select quote_ident(attname) as name, attidentity <> '' as identity from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const names = columns.map((column) => column.name).join(', ');
    await db.query(`delete from ${table}`);
    await db.query(
      `insert into ${table} (${names}) overriding system value select ${names} from json_populate_recordset(null::${table}, $1::json)`,
      [rows],
    );
    for (const { name } of columns.filter(({ identity }) => identity))
      await db.query(`select setval(pg_get_serial_sequence('${table}', '${name}'), max(${name})) from ${table}`);
  }
}

async function withClient<T>(url: string, work: (db: pg.Client) => Promise<T> | T): Promise<T> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
