import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';

/** One line per reason and minute: strangers control the number of requests. */
const LOG_EVERY_MS = MINUTE_MS;

/** Logs refused requests at most once a minute per reason, with the number since the last line. */
export function createRefusalLog(log: Log, channel: string, now: () => number = Date.now): (refusal: string) => void {
  const logged = new Map<string, { readonly at: number; untold: number }>();
  return (refusal) => {
    const last = logged.get(refusal);
    if (last && now() - last.at < LOG_EVERY_MS) {
      last.untold += 1;
      return;
    }
    logged.set(refusal, { at: now(), untold: 0 });
    log.warn('requests refused', { channel, reason: refusal, count: 1 + (last?.untold ?? 0) });
  };
}
