import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import type { Log } from '@signalbox/platform/log';
import { serviceRole, type ServiceWithLogin } from './migrations/service-rights.ts';

export type Pool = pg.Pool;
/** A connection that was taken out of a pool and has to be released. */
export type Connection = pg.PoolClient;
/** A pool or one of its connections: whatever a query can be sent to. */
export type Queryable = Pick<pg.Pool, 'query'>;

/** A statement that takes longer is ended by Postgres: no turn waits for a lock for ever. */
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 8_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The role of what is no single service (infra/postgres/101_rights.sql): it may do what the product does, and not change what was
 * recorded. A service takes its own, narrower role where its login may.
 */
const APP_ROLE = 'signalbox_app';

/**
 * Opens a bounded pool whose connections carry the product's time-outs and the rights of the services. A lost idle connection is
 * logged, never thrown. Its queries throw DATABASE_ROLE_MISSING when the login may not take the role of the services.
 */
export function openPool(
  url: string,
  log: Log,
  options: { readonly name: string; readonly max: number; readonly as?: 'owner' | ServiceWithLogin },
): Pool {
  const { as: service } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    min: 1, // without it, a service that looks every ten seconds would connect anew each time
    application_name: `signalbox-${options.name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    keepAlive: true,
    // The pool awaits it, so that nobody gets a connection before; its types have not heard of that.
    onConnect: service === 'owner' ? undefined : (client): unknown => takeRole(client, service),
  });
  pool.on('error', (error) => log.warn('idle database connection lost', { error }));
  // The pool listens only while a connection is idle. One that is lost between two statements of a transaction says so with
  // an event that would end the process; whoever uses it hears of it with the next statement.
  pool.on('connect', (client) => client.on('error', (error) => log.debug('database connection lost', { error })));
  return pool;
}

/** The role that a service has rights with in this database, where the login is a member of it; otherwise the one of all. */
const OWN_ROLE = `(select rolname from pg_roles where rolname = $1 and pg_has_role(session_user, oid, 'member')
                      and has_table_privilege(oid, to_regclass('public.lanes'), 'select'))`;

/** Gives a connection the rights of a service, or of all. Throws DATABASE_ROLE_MISSING when its login may take neither role. */
export async function takeRole(client: pg.ClientBase, service: ServiceWithLogin | undefined): Promise<void> {
  try {
    const own = service === undefined ? null : serviceRole(service);
    await client.query(`select set_config('role', coalesce(${OWN_ROLE}, $2), false)`, [own, APP_ROLE]);
  } catch (error) {
    // 22023: there is no such role; 42501: not for this login.
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== '22023' && code !== '42501') throw error;
    throw new AppError('DATABASE_ROLE_MISSING', { role: APP_ROLE }, error);
  }
}

/** Runs `work` in one transaction; anything thrown rolls it back and is thrown on. */
export async function withTransaction<T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client
      .query('rollback')
      .catch((failure: unknown) => (broken = failure instanceof Error ? failure : new Error(String(failure))));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Whether Postgres rolled a transaction back so that another one, which waited for it, could go on: tried again, it passes. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}

/** Whether a statement gave up because another transaction held a lock for too long: it has changed nothing, and Postgres is there. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && ('code' in error && error.code === '55P03' ? true : isLockTimeout(error.cause));
}

/** A function, column, table, type or schema that is not there. */
const LACKING = new Set(['42883', '42703', '42P01', '42704', '3F000']);

/**
 * Connection failures, time-outs, deadlocks, shutdowns, and what a database of another release lacks: the same statement may well pass
 * later, and no message is to blame.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(08|53|57|58|40|55P03|25P03|25006)/.test(code) || LACKING.has(code)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true;
  // pg gives these no code: "Connection terminated unexpectedly", "timeout exceeded when trying to connect", "Query read timeout".
  return /^(Connection terminated|timeout exceeded when|Query read timeout|Client (has encountered a connection error|was closed))/.test(
    error.message,
  );
}
