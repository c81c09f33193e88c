import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { CLONE_LOCK } from './clone-lock.ts';

/** A database of one test file's own: migrated, empty, gone after `drop`. */
export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to the database and deletes it. Twice is safe. */
  readonly drop: () => Promise<void>;
}

/** Clones a template: the migrated database, or `template0` for an empty one. Safe from many test files at once. */
export async function createDatabase(template = 'signalbox_template'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [CLONE_LOCK]);
    // The other way writes a log of every page.
    await admin.query(`create database ${name} template ${template} strategy file_copy`);
    // A clone has the rights of its template, but for those on the database itself, which `migrate` takes away.
    await admin.query(`revoke temporary, create on database ${name} from public`);
  });
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => asAdmin(async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`))),
  };
}

/** A pool with the rights of the login and no time-outs. A connection that is closing may still hear that its database is dropped. */
export function openRawPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on('error', () => undefined);
  return pool;
}

async function asAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('databaseUrl'), connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end(); // the session's end releases the lock
  }
}
