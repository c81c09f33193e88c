import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import { readMigrationStatus } from './migrations/migration-status.ts';
import { takeRole, type Queryable } from './pool.ts';
import type { ServiceWithLogin } from './migrations/service-rights.ts';

const CHECK_MS = 3_000;

/**
 * Why a service (undefined: all of them, `owner`: whoever migrates) cannot use this database, with what to do about it; null when it can be used. Changes
 * nothing, and answers within some seconds, also when nobody is there.
 */
export async function checkDatabase(
  url: string,
  service: ServiceWithLogin | 'owner' | undefined,
): Promise<AppError | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'signalbox-check',
    connectionTimeoutMillis: CHECK_MS,
    query_timeout: CHECK_MS,
  });
  client.on('error', () => undefined); // the pending call rejects as well
  try {
    await client.connect();
    await client.query('select 1');
    return service === 'owner' ? null : await checkRelease(client, service);
  } catch (error) {
    return describe(error, new URL(url));
  } finally {
    // A server that hangs does not say good-bye: nobody waits for it.
    void client.end().catch(() => undefined);
  }
}

async function checkRelease(client: pg.Client, service: ServiceWithLogin | undefined): Promise<AppError | null> {
  await takeRole(client, service);
  return findReleaseProblem(client);
}

/** Why a database is not one of this release, older or newer, with what to do; null when it is. Throws when it does not answer. */
export async function findReleaseProblem(db: Queryable): Promise<AppError | null> {
  const { pending, unknown } = await readMigrationStatus(db);
  if (pending.length > 0) return new AppError('DATABASE_OUTDATED', { count: String(pending.length) });
  return unknown.length > 0 ? new AppError('DATABASE_NEWER', { names: unknown.join(', ') }) : null;
}

function describe(error: unknown, { host: address, pathname, username }: URL): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [server, variable] = ['Postgres', 'DATABASE_URL'];
  // 28P01: wrong password; 28000: no such login, or not from here.
  if (code === '28P01' || code === '28000')
    return new AppError('LOGIN_REFUSED', { server, address, login: decodeURIComponent(username), variable }, error);
  if (code === '3D000')
    return new AppError('DATABASE_MISSING', { name: decodeURIComponent(pathname.slice(1)), address }, error);
  const detail = error instanceof Error ? error.message || code : String(error);
  return new AppError('SERVER_AWAY', { server, address, variable, detail }, error);
}
