import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/*
 * pg limits the wait for a free connection by the clock. When a thousand turns end at once, or a process was frozen, that limit passes while
 * connections come back all the time; the work that waited is lost, and its model calls are paid twice. So callers wait here, in order, as long
 * as connections come back, and pg's own queue stays empty.
 */

/** The queue looks this often. A process that was frozen or busy meanwhile has missed one look, whatever time passed. */
const LOOK_MS = 500;

interface Waiter {
  readonly proceed: () => void;
  readonly fail: (error: Error) => void;
}

type Callback = Parameters<pg.Pool['connect']>[0];

const isFirst = new AsyncLocalStorage<boolean>();

/** Runs work whose statements overtake callers that wait for a connection, such as what a person's /stop needs. */
export function runFirst<T>(work: () => T): T {
  return isFirst.run(true, work);
}

/** Queues the callers of `connect` and `query` in order. A caller fails when no connection has come back for `maxSilenceMs`. */
export function queueCallers(pool: pg.Pool, maxSilenceMs: number): void {
  // One of the overloads takes a callback, and then nobody looks at what is returned.
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<pg.PoolClient>;
  const first: Waiter[] = [];
  const others: Waiter[] = [];
  const isEmpty = (): boolean => first.length + others.length === 0;
  let timer: NodeJS.Timeout | undefined;
  let silentLooks = 0;
  const isFree = (): boolean => pool.options.max - pool.totalCount + pool.idleCount > pool.waitingCount;
  const serve = (): void => {
    while (!isEmpty() && isFree()) (first.shift() ?? others.shift())?.proceed();
  };
  const look = (): void => {
    serve();
    silentLooks += 1;
    if (silentLooks * LOOK_MS > maxSilenceMs)
      // isTransient knows these words of pg.
      for (const waiter of [...first.splice(0), ...others.splice(0)])
        waiter.fail(new Error('timeout exceeded when trying to connect'));
    timer = isEmpty() ? undefined : setTimeout(look, LOOK_MS).unref();
  };
  pool.on('release', () => {
    silentLooks = 0;
    // The connection is idle after this event.
    if (!isEmpty()) process.nextTick(serve);
  });
  pool.connect = ((callback?: Callback): Promise<pg.PoolClient> | void => {
    if (isEmpty() && isFree()) return connect(callback);
    const waiters = isFirst.getStore() ? first : others;
    const waited = new Promise<pg.PoolClient>((resolve, reject) => {
      waiters.push({ proceed: () => resolve(connect()), fail: reject });
    });
    if (!timer) {
      silentLooks = 0;
      timer = setTimeout(look, LOOK_MS).unref();
    }
    if (!callback) return waited;
    waited.then(
      (client) => callback(undefined, client, (error?: Error | boolean) => client.release(error)),
      (error: unknown) => callback(toError(error), undefined, () => undefined),
    );
  }) as pg.Pool['connect']; // both forms of the overloaded method
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
