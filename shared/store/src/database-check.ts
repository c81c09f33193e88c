import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import { waitAtMost } from '@signalbox/contracts/time';
import { findRestoredCopy } from './backup/restored-copy.ts';
import { readMigrationStatus } from './migrations/migration-status.ts';
import { setConnectionRole, type Queryable } from './pool.ts';
import type { ServiceWithLogin } from './migrations/service-rights.ts';

const CHECK_MS = 3_000;
const ANSWER_MS = 2_000;

/** A user of the database: a service, a job service with several pools (`jobs`), the command line, or the migration (`owner`). */
export type DatabaseUser = ServiceWithLogin | 'jobs' | 'cli' | 'owner';

/**
 * Explains, with a remedy, why this user cannot use the database; null when it can. A service must not log in as owner of the tables,
 * because row policies do not bind owners. Read-only; answers within seconds, even when no server answers.
 */
export async function checkDatabase(url: string, user: DatabaseUser): Promise<AppError | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'signalbox-check',
    connectionTimeoutMillis: CHECK_MS,
    query_timeout: CHECK_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    if (user === 'owner') return await findCopyProblem(client);
    return (user === 'cli' ? null : await findOwner(client)) ?? (await checkRelease(client, user));
  } catch (error) {
    return describe(error, new URL(url));
  } finally {
    // The connection of a hung server never closes, so nothing waits for it.
    void client.end().catch(() => undefined);
  }
}

/** Explains why a service must not use this login, because the login owns tables; null when it owns none. */
async function findOwner(client: pg.Client): Promise<AppError | null> {
  const { rows } = await client.query<{ login: string }>(
    `select session_user as login from pg_class where oid = to_regclass('public.inbox') and pg_has_role(session_user, relowner, 'usage')`,
  );
  return rows[0] ? new AppError('DATABASE_LOGIN_OWNS', { login: rows[0].login }) : null;
}

async function checkRelease(client: pg.Client, user: Exclude<DatabaseUser, 'owner'>): Promise<AppError | null> {
  // Database roles exist only after the first migration.
  if (await isEmpty(client)) return findReleaseProblem(client);
  await setConnectionRole(client, user === 'jobs' || user === 'cli' ? undefined : user);
  return findReleaseProblem(client);
}

async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isEmpty: boolean }>(
    `select to_regclass('public.kysely_migration') is null as "isEmpty"`,
  );
  return rows[0]?.isEmpty ?? false;
}

/**
 * Explains with a remedy why the database is of an older or newer release, or a copy that waits to be activated; null when neither holds.
 * Throws when it does not answer.
 */
async function findReleaseProblem(db: Queryable): Promise<AppError | null> {
  const { pending, unknown } = await readMigrationStatus(db);
  if (pending.length > 0) return new AppError('DATABASE_OUTDATED', { count: String(pending.length) });
  if (unknown.length > 0) return new AppError('DATABASE_NEWER', { names: unknown.join(', ') });
  return findCopyProblem(db);
}

/** Explains that the database is a restored copy, which nobody has activated; null when it is none, or has no tables yet. */
async function findCopyProblem(db: Queryable): Promise<AppError | null> {
  const time = await findRestoredCopy(db);
  return time === null ? null : new AppError('DATABASE_RESTORED', { time });
}

/** Describes a wrong release or a missing answer of the database in one sentence. Never throws; answers within two seconds. */
export async function findDatabaseProblem(db: Queryable): Promise<string | null> {
  const problem = await waitAtMost(findReleaseProblem(db), ANSWER_MS).catch(() => undefined);
  if (problem === undefined) return 'Postgres does not answer';
  return problem && `${problem.message} (${problem.code})`;
}

function describe(error: unknown, { host: address, pathname, username }: URL): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [server, variable] = ['Postgres', 'DATABASE_URL'];
  // Code 28P01 means a wrong password; 28000 means no such login, or not from this host.
  if (code === '28P01' || code === '28000')
    return new AppError('LOGIN_REFUSED', { server, address, login: decodeURIComponent(username), variable }, error);
  if (code === '3D000')
    return new AppError('DATABASE_MISSING', { name: decodeURIComponent(pathname.slice(1)), address }, error);
  const detail = error instanceof Error ? error.message || code : String(error);
  return new AppError('SERVER_AWAY', { server, address, variable, detail }, error);
}
