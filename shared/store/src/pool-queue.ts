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
  /** The number of looks before it began to wait. */
  readonly since: number;
}

type Callback = Parameters<pg.Pool['connect']>[0];

const isFirst = new AsyncLocalStorage<boolean>();

/** Runs work whose statements overtake callers that wait for a connection, such as what a person's /stop needs. */
export function runFirst<T>(work: () => T): T {
  return isFirst.run(true, work);
}

/** Queues the callers of `connect` and `query` in order. A caller fails once it has waited for `maxSilenceMs` in which no connection came back. */
export function queueCallers(pool: pg.Pool, maxSilenceMs: number): void {
  // One of the overloads takes a callback, and then nobody looks at what is returned.
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<pg.PoolClient>;
  let first: Waiter[] = [];
  let others: Waiter[] = [];
  const isEmpty = (): boolean => first.length + others.length === 0;
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  /** The number of looks before a connection last came back. */
  let lastRelease = 0;
  const isFree = (): boolean => pool.options.max - pool.totalCount + pool.idleCount > pool.waitingCount;
  const serve = (): void => {
    while (!isEmpty() && isFree()) (first.shift() ?? others.shift())?.proceed();
  };
  const giveUp = (waiters: readonly Waiter[]): Waiter[] =>
    waiters.filter(({ since, fail }) => {
      const isOver = (looks - Math.max(since, lastRelease)) * LOOK_MS > maxSilenceMs;
      // isTransient knows these words of pg.
      if (isOver) fail(new Error('timeout exceeded when trying to connect'));
      return !isOver;
    });
  const look = (): void => {
    serve();
    looks += 1;
    [first, others] = [giveUp(first), giveUp(others)];
    timer = isEmpty() ? undefined : setTimeout(look, LOOK_MS).unref();
  };
  pool.on('release', () => {
    lastRelease = looks;
    // The connection is idle after this event.
    if (!isEmpty()) process.nextTick(serve);
  });
  pool.connect = ((callback?: Callback): Promise<pg.PoolClient> | void => {
    if (isEmpty() && isFree()) return connect(callback);
    const waiters = isFirst.getStore() ? first : others;
    const waited = new Promise<pg.PoolClient>((resolve, reject) => {
      waiters.push({ proceed: () => resolve(connect()), fail: reject, since: looks });
    });
    timer ??= setTimeout(look, LOOK_MS).unref();
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
