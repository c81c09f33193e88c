import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';

/** One line per reason and minute is enough: strangers decide how many requests there are. */
const TELL_EVERY_MS = MINUTE_MS;

/** Tells the log about refused requests, at most once a minute for each reason, with how many there were since. */
export function createRefusalLog(log: Log, channel: string, now: () => number = Date.now): (refusal: string) => void {
  const told = new Map<string, { readonly at: number; untold: number }>();
  return (refusal) => {
    const last = told.get(refusal);
    if (last && now() - last.at < TELL_EVERY_MS) {
      last.untold += 1;
      return;
    }
    told.set(refusal, { at: now(), untold: 0 });
    log.warn('requests refused', { channel, reason: refusal, count: 1 + (last?.untold ?? 0) });
  };
}
