import pg from 'pg';
import type { LoginResult } from '../server-login.ts';

/** The user that owns the databases of the embedded Postgres. */
export const POSTGRES_USER = 'signalbox';

const LOGIN_MS = 2_000;
/** Timeout of a connection after a login has succeeded; generous for a busy machine. */
const CONNECT_MS = 30_000;

/** Builds the connection URL of a database of the local Postgres. */
export function toPostgresUrl(port: number, password: string, database: string): string {
  return `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Logs in and compares the data folder. SCRAM proves both sides, so another server on this port does not learn the password. */
export async function tryLogin(port: number, password: string, data: string): Promise<LoginResult> {
  const url = toPostgresUrl(port, password, 'postgres');
  try {
    const folder = await query(url, LOGIN_MS, "select current_setting('data_directory') as value");
    return folder === data ? 'ours' : 'other';
  } catch (error) {
    // 28P01 is a wrong password, 28000 an unknown user: in both cases another Postgres listens there.
    const code = (error as { readonly code?: string }).code;
    return code === '28P01' || code === '28000' ? 'refused' : 'absent';
  }
}

/** Creates the database if it does not exist. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const text = 'select datname as value from pg_database where datname = $1';
  const existing = await query(adminUrl, CONNECT_MS, text, [name]);
  if (existing === undefined) await query(adminUrl, CONNECT_MS, `create database ${pg.escapeIdentifier(name)}`);
}

async function query(url: string, withinMs: number, text: string, values: string[] = []): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: withinMs, query_timeout: 60_000 });
  client.on('error', () => undefined); // the server stopped between statements; the pending query rejects as well
  try {
    await client.connect();
    const result = await client.query<{ readonly value?: string }>(text, values);
    return result.rows[0]?.value;
  } finally {
    await client.end().catch(() => undefined); // the client never connected
  }
}
