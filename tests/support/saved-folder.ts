import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { CHECKPOINT_SCHEMA } from '@signalbox/worker/checkpoints/set-up';
import pg from 'pg';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from './database.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/saved-folder/', import.meta.url));

/** The SQL of each migration, the rows of each table as JSON, and the small files of a data folder: see tests/fixtures/saved-folder. */
const Saved = z.object({
  migrations: z.record(z.string(), z.string()),
  tables: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.string()),
});

/** Two folders of before version 0.2: of commit e6716913, and of commit 8898ca8e, the last with migrations of two digits. */
export const SAVED_FOLDERS = ['early', 'late'] as const;
export type SavedFolder = (typeof SAVED_FOLDERS)[number];

/** A data folder and a database as an earlier release left them: nothing of this one has run in them yet. */
export async function restoreSavedFolder(
  name: SavedFolder,
): Promise<{ readonly database: TestDatabase; readonly dataDir: string }> {
  const saved = readSavedFolder(name);
  const dataDir = makeTemporaryFolder('saved');
  for (const [file, text] of Object.entries(saved.files)) {
    mkdirSync(dirname(join(dataDir, file)), { recursive: true, mode: 0o700 });
    writeFileSync(join(dataDir, file), text, { mode: file.endsWith('.pub') ? 0o644 : 0o600 });
  }
  const database = await createDatabase('template0');
  await migrate(database.url, writeSavedMigrations(name));
  const owner = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
  await new PostgresSaver(owner, undefined, { schema: CHECKPOINT_SCHEMA }).setup(); // as that release made them
  if (name === 'late') await owner.query('select number_checkpoints()');
  await owner.end();
  await withClient(database.url, async (db) => {
    await putRows(db, saved.tables);
    // The folder was kept for months, and the request in it waits as if it had been asked now.
    await db.query(`update approvals set expires_at = now() + interval '1 hour' where status = 'pending'`);
  });
  return { database, dataDir };
}

/** A folder with the migrations of a release of before, up to and with the one of these two digits. */
export function writeSavedMigrations(name: SavedFolder, last = '99'): string {
  const folder = makeTemporaryFolder('migrations');
  for (const [migration, sql] of Object.entries(readSavedFolder(name).migrations))
    if (migration.slice(0, 2) <= last) writeFileSync(join(folder, `${migration}.sql`), sql);
  return folder;
}

/** The copy that an upgrade makes of a database, and must not leave behind here. */
export async function dropCopy(database: TestDatabase): Promise<void> {
  const server = Object.assign(new URL(database.url), { pathname: '/postgres' }).href;
  const name = new URL(database.url).pathname.slice(1);
  await withClient(server, (db) => db.query(`drop database if exists ${name}_before_0_2 with (force)`));
}

function readSavedFolder(name: SavedFolder): z.infer<typeof Saved> {
  const file = join(FIXTURES, `${name}.json.gz`);
  return Saved.parse(JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')));
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
