import { getCurrentLanguage, ENGLISH, toLanguage } from './language.ts';
import { say } from './say.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** From here on a time in seconds needs no tenths. */
const WHOLE_SECONDS_MS = 950;
const TENTH_MS = 100;

/** `0.4 s`, `8 s`, `12 min`, `3 h`: a time in one unit, rounded, for people. At least a tenth of a second. */
export function sayDuration(ms: number, language: string = getCurrentLanguage()): string {
  if (ms < WHOLE_SECONDS_MS)
    return say('duration.seconds', { count: sayTenths(Math.max(1, Math.round(ms / TENTH_MS)), language) }, language);
  if (ms < 90 * SECOND_MS) return say('duration.seconds', { count: Math.round(ms / SECOND_MS) }, language);
  if (ms < 90 * MINUTE_MS) return say('duration.minutes', { count: Math.round(ms / MINUTE_MS) }, language);
  return say('duration.hours', { count: Math.round(ms / HOUR_MS) }, language);
}

/** `20 minutes ago`, `23 hours ago`, `3 days ago`, for people. */
export function sayAgo(ms: number): string {
  if (ms < 90 * MINUTE_MS) return say('duration.minutesAgo', { count: Math.round(ms / MINUTE_MS) });
  if (ms < 48 * HOUR_MS) return say('duration.hoursAgo', { count: Math.round(ms / HOUR_MS) });
  return say('duration.daysAgo', { count: Math.round(ms / (24 * HOUR_MS)) });
}

/** `0.4`, or `0,4` where people write it so. */
function sayTenths(tenths: number, language: string): string {
  return (tenths / 10).toLocaleString(toLanguage(language) ?? ENGLISH, { minimumFractionDigits: 1 });
}

/** `20 ms`, `1.5 s`. */
export function inSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
}
