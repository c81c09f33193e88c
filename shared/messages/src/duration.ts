import { say } from './say.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** `8 s`, `12 min`, `3 h`: a time in one unit, rounded, for people; `less than 1 s` when it rounds to none. */
export function sayDuration(ms: number, language?: string): string {
  if (Math.round(ms / SECOND_MS) === 0) return say('duration.moment', {}, language);
  if (ms < 90 * SECOND_MS) return say('duration.seconds', { count: Math.round(ms / SECOND_MS) }, language);
  if (ms < 90 * MINUTE_MS) return say('duration.minutes', { count: Math.round(ms / MINUTE_MS) }, language);
  return say('duration.hours', { count: Math.round(ms / HOUR_MS) }, language);
}
