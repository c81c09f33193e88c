import type { Log } from '@signalbox/platform/log';
import { MINUTE_MS } from '@signalbox/contracts/time';

/** Why a request is not let in, and what it is answered. */
export const REFUSALS = {
  'bad-secret': 401,
  'bad-path': 404,
  'bad-method': 405,
  'bad-type': 415,
  'too-large': 413,
  'too-slow': 408,
  malformed: 400,
} as const;
export type Refusal = keyof typeof REFUSALS;

/** What became of a request. Refused ones were not parsed. */
export type WebhookResult = Refusal | 'admitted' | 'unreadable' | 'not-stored';

/** One line per reason and minute is enough: strangers decide how many requests there are. */
const TELL_EVERY_MS = MINUTE_MS;

/** Tells the log about refused requests, at most once a minute for each reason, with how many there were since. */
export function createRefusalLog(log: Log, now: () => number = Date.now): (refusal: Refusal) => void {
  const told = new Map<Refusal, { readonly at: number; untold: number }>();
  return (refusal) => {
    const last = told.get(refusal);
    if (last && now() - last.at < TELL_EVERY_MS) {
      last.untold += 1;
      return;
    }
    told.set(refusal, { at: now(), untold: 0 });
    log.warn('webhook requests refused', { reason: refusal, count: 1 + (last?.untold ?? 0) });
  };
}
