import { closeInherited } from './descriptors.ts';
import type { Log } from './log.ts';
import { sleep } from '@signalbox/contracts/time';

export interface Closable {
  close(): Promise<void>;
}

export type Own = <T extends Closable>(part: T) => T;

/** How long a service may take to close its parts before it is ended; less than the launcher's and Kubernetes' patience. */
const CLOSE_DEADLINE_MS = 12_000;
const START_AGAIN_MS = 2_000;

/**
 * Runs a service until a signal stops it. Parts are closed in the reverse of the order in which they were owned:
 * consumers first, connections last. A failed start closes what was already open.
 * What the starter has left open is closed first, so that no child of the service gets it; `sockets` are what it gave on purpose.
 * A start that fails as `passes` describes, such as by a server that went away meanwhile, is begun again from its beginning. A promise
 * that nobody heard of and that fails so is an error in the log and no more: what waited for the server has failed by itself. Any other
 * stops the service, for then nobody knows what is true in it.
 * Exits 0 when everything closed in time, 1 otherwise. A second signal exits at once.
 */
export async function runService(
  log: Log,
  start: (own: Own) => Promise<void>,
  passes: (error: unknown) => boolean = () => false,
  sockets: readonly number[] = [],
): Promise<void> {
  closeInherited(sockets);
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
    const goesOn = passes(error);
    log.error('unhandled rejection', { error, goesOn });
    if (!stopping && !goesOn) void stop(1);
  });
  const own: Own = (part) => {
    parts.push(part);
    return part;
  };
  for (;;) {
    try {
      return await start(own);
    } catch (error) {
      if (stopping) return;
      if (!passes(error)) {
        log.error('start failed', { error });
        return stop(1);
      }
      log.warn('start broke off, it begins again', { error });
      await closeAll(parts.splice(0), log);
      await sleep(START_AGAIN_MS);
    }
  }
}

/** Closes parts in reverse order; one that fails is logged and does not keep the others open. Returns how many failed. */
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
export function background(log: Log, what: string, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => log.error('background work failed', { what, error }));
}
