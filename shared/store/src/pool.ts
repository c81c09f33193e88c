import pg from 'pg';
import { AppError } from '@signalbox/contracts/errors';
import type { Log } from '@signalbox/platform/log';
import { queueCallers } from './pool-queue.ts';
import { getServiceRole, type ServiceWithLogin } from './migrations/service-rights.ts';

export type Pool = pg.Pool;
/** A connection taken from a pool; the caller releases it after use. */
export type Connection = pg.PoolClient;
export type Queryable = Pick<pg.Pool, 'query'>;

/** Time after which Postgres cancels a statement, so that no turn waits for a lock forever. */
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 8_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Role with the rights of all services (infra/postgres): full use of the product's tables, but no changes to the audit log. A service
 * takes a narrower role of its own where its login may.
 */
const APP_ROLE = 'signalbox_app';

/**
 * Opens a bounded pool whose connections have the product's time-outs and the role of a service. A lost idle connection is logged, never
 * thrown. Queries throw DATABASE_ROLE_MISSING when the login may not take the role.
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
    min: 1, // Without `min`, a service that polls every ten seconds would reconnect each time
    application_name: `signalbox-${options.name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    keepAlive: true,
    // The pool awaits this promise before it hands the connection out, although its types do not say so.
    onConnect: service === 'owner' ? undefined : (client): unknown => setConnectionRole(client, service),
  });
  queueCallers(pool, CONNECT_TIMEOUT_MS);
  pool.on('error', (error) => log.warn('idle database connection lost', { error }));
  // The pool handles errors of idle connections only. An unhandled error event of a busy connection would end the process; the next
  // statement on that connection reports the loss.
  pool.on('connect', (client) => client.on('error', (error) => log.debug('database connection lost', { error })));
  return pool;
}

/** The service's own role when the login is a member of it, else the role that all services share. */
const OWN_ROLE = `(select rolname from pg_roles where rolname = $1 and pg_has_role(session_user, oid, 'member')
                      and has_table_privilege(oid, to_regclass('public.lanes'), 'select'))`;

/** Sets the role of a connection. Throws DATABASE_ROLE_MISSING when the login may take neither the own nor the shared role. */
export async function setConnectionRole(client: pg.ClientBase, service: ServiceWithLogin | undefined): Promise<void> {
  try {
    const own = service === undefined ? null : getServiceRole(service);
    await client.query(`select set_config('role', coalesce(${OWN_ROLE}, $2), false)`, [own, APP_ROLE]);
  } catch (error) {
    // Code 22023 means that the role does not exist; 42501 means that the login may not take it.
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== '22023' && code !== '42501') throw error;
    throw new AppError('DATABASE_ROLE_MISSING', { role: APP_ROLE }, error);
  }
}

/** Runs `work` in one transaction; an error rolls it back and is rethrown. */
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

/** True when Postgres rolled a transaction back because of a deadlock, so that a retry succeeds. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}

/** True when a statement gave up waiting for a lock: it changed nothing, and Postgres is available. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && ('code' in error && error.code === '55P03' ? true : isLockTimeout(error.cause));
}

/** Error codes for a missing function, column, table, type or schema. */
const LACKING = new Set(['42883', '42703', '42P01', '42704', '3F000']);

/**
 * True for connection failures, time-outs, deadlocks, shutdowns and missing schema objects: a retry may succeed, and no message is to
 * blame.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(08|53|57|58|40|55P03|25P03|25006)/.test(code) || LACKING.has(code)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true;
  // These errors of pg have no code: "Connection terminated unexpectedly", "timeout exceeded when trying to connect", "Query read timeout".
  return /^(Connection terminated|timeout exceeded when|Query read timeout|Client (has encountered a connection error|was closed))/.test(
    error.message,
  );
}
