import { SECOND_MS } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';

const LOOK_EVERY_MS = 2 * SECOND_MS;

/** Looks up effects with an unknown outcome: runs `next` while it returns true. Closing aborts; another worker repeats the look-up. */
export function startReconciler(log: Log, next: (signal: AbortSignal) => Promise<boolean>): Closable {
  const stop = new AbortController();
  const isMore = (): Promise<boolean> =>
    next(stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return false;
      throw error;
    });
  const step = async (): Promise<void> => {
    while (!stop.signal.aborted && (await isMore()));
  };
  const loop = startLoop({ name: 'reconcile', everyMs: LOOK_EVERY_MS, log, step });
  return {
    close: () => {
      stop.abort(new Error('the worker is shutting down'));
      return loop.close();
    },
  };
}
