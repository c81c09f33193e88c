import { closeInherited } from './descriptors.ts';
import type { Log } from './log.ts';
import { sleep } from '@signalbox/contracts/time';

export interface Closable {
  close(): Promise<void>;
}

export type RegisterClosable = <T extends Closable>(part: T) => T;

/** Milliseconds for closing all parts before the process exits; shorter than the grace periods of the launcher and of Kubernetes. */
const CLOSE_DEADLINE_MS = 12_000;
const RESTART_DELAY_MS = 2_000;

/**
 * Runs a service until a signal stops it. Parts are closed in the reverse of the order in which they were owned: consumers first,
 * connections last. A failed start closes what was already open. Inherited descriptors are closed first, except `keepDescriptors`. A
 * start that fails with a transient error, such as a lost server, is retried from its beginning. An unhandled rejection with a transient
 * error is only logged; any other one stops the service, because its state is unknown then. Exits 0 when everything closed in time, 1
 * otherwise. A second signal exits at once.
 */
export async function runService(
  log: Log,
  start: (own: RegisterClosable) => Promise<void>,
  isTransient: (error: unknown) => boolean = () => false,
  keepDescriptors: readonly number[] = [],
): Promise<void> {
  closeInherited(keepDescriptors);
  const parts: Closable[] = [];
  let stopping = false;
  const stop = async (code: number): Promise<never> => {
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    const failures = await closeAll(parts, log);
    process.exit(failures > 0 ? 1 : code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      log.info('stopping', { signal });
      void stop(0);
    });
  }
  process.on('unhandledRejection', (error) => {
    const continues = isTransient(error);
    log.error('unhandled rejection', { error, continues });
    if (!stopping && !continues) void stop(1);
  });
  const own: RegisterClosable = (part) => {
    parts.push(part);
    return part;
  };
  for (;;) {
    try {
      return await start(own);
    } catch (error) {
      if (stopping) return;
      if (!isTransient(error)) {
        log.error('start failed', { error });
        return stop(1);
      }
      log.warn('start broke off, it begins again', { error });
      await closeAll(parts.splice(0), log);
      await sleep(RESTART_DELAY_MS);
    }
  }
}

/** Closes parts in reverse order; a failure is logged and does not stop the next part. Returns how many failed. */
export async function closeAll(parts: readonly Closable[], log: Log): Promise<number> {
  let failures = 0;
  for (const part of [...parts].reverse()) {
    await part.close().catch((error: unknown) => {
      failures += 1;
      log.error('close failed', { error });
    });
  }
  return failures;
}

/** Runs a promise in the background: a failure is logged, never unhandled. */
export function runInBackground(log: Log, task: string, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => log.error('background work failed', { task, error }));
}
