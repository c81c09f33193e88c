import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';

const LOOK_EVERY_MS = 2 * SECOND_MS;

/**
 * Has effects looked up of which nobody knows what became, one after another, as long as some are due. Closing ends the look that is
 * under way; whoever looks next takes it up after its lease.
 */
export function startReconciler(options: {
  readonly log: Log;
  /** Looks one up; false when none is due. */
  readonly next: (signal: AbortSignal) => Promise<boolean>;
}): Closable {
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const isMore = await options.next(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) options.log.warn('an effect could not be looked up', { error });
        return false;
      });
      if (!isMore) await sleep(LOOK_EVERY_MS, stop.signal);
    }
  };
  const ended = loop();
  return {
    close: async () => {
      stop.abort(new Error('the worker is shutting down'));
      await ended;
    },
  };
}
