import { sweepChats } from './outgoing.ts';
import type { Pool } from '@signalbox/store/pool';
import { dropExpiredSecrets } from '@signalbox/store/secrets';
import { newId } from '@signalbox/contracts/ids';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { sleep } from '@signalbox/contracts/time';

const EVERY_MS = 1_000;
/** A row that waits this long lost its wake-up, or its gateway died. */
const QUIET_MS = 5_000;
const MAX_CHATS = 200;
/** Secrets that have expired open no more; that they are deleted has time. */
const EXPIRY_EVERY_MS = 60_000;

/** Wakes chats whose messages no gateway delivers, once a second, and deletes expired secrets. Doing so twice is harmless. */
export function startSweeper(deps: {
  readonly pool: Pool;
  readonly log: Log;
  readonly wake: (chatKeys: readonly string[], traceId: string) => Promise<void>;
}): Closable {
  const stop = new AbortController();
  let expiryAt = 0;
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(EVERY_MS, stop.signal);
      if (stop.signal.aborted) return;
      try {
        await deps.wake(await sweepChats(deps.pool, QUIET_MS, MAX_CHATS), newId('trc'));
        if (performance.now() < expiryAt) continue;
        await dropExpiredSecrets(deps.pool);
        expiryAt = performance.now() + EXPIRY_EVERY_MS;
      } catch (error) {
        // Postgres is away: readiness says so, and the next second tries again.
        deps.log.debug('sweep failed', { error });
      }
    }
  };
  const running = loop();
  return {
    close: async () => {
      stop.abort();
      await running;
    },
  };
}
