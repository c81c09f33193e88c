import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';

/** Strangers control the number of requests, so each reason gets one line in this time. */
const LOG_EVERY_MS = MINUTE_MS;

/** Logs refused requests, with the number since the last line of the same reason. */
export function createRefusalLog(log: Log, channel: string, now: () => number = Date.now): (refusal: string) => void {
  const logged = new Map<string, { readonly at: number; unlogged: number }>();
  return (refusal) => {
    const last = logged.get(refusal);
    if (last && now() - last.at < LOG_EVERY_MS) {
      last.unlogged += 1;
      return;
    }
    logged.set(refusal, { at: now(), unlogged: 0 });
    log.warn('requests refused', { channel, reason: refusal, count: 1 + (last?.unlogged ?? 0) });
  };
}
