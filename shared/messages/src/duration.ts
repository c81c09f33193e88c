import { getCurrentLanguage, DEFAULT_LANGUAGE, toLanguage } from './language.ts';
import { say } from './say.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Longer times are shown in whole seconds. */
const WHOLE_SECONDS_MS = 950;
const TENTH_MS = 100;

/** Formats a time in one rounded unit for people, at least a tenth of a second: `0.4 s`, `8 s`, `12 min`, `3 h`. */
export function sayDuration(ms: number, language: string = getCurrentLanguage()): string {
  if (ms < WHOLE_SECONDS_MS)
    return say('duration.seconds', { count: sayTenths(Math.max(1, Math.round(ms / TENTH_MS)), language) }, language);
  if (ms < 90 * SECOND_MS) return say('duration.seconds', { count: Math.round(ms / SECOND_MS) }, language);
  if (ms < 90 * MINUTE_MS) return say('duration.minutes', { count: Math.round(ms / MINUTE_MS) }, language);
  return say('duration.hours', { count: Math.round(ms / HOUR_MS) }, language);
}

/** Formats a time that somebody chose, to the minute: `30 min`, `90 min`, `2 h`. */
export function sayChosenTime(ms: number): string {
  const count = Math.round(ms / MINUTE_MS);
  return count % 60 === 0 ? say('duration.hours', { count: count / 60 }) : say('duration.minutes', { count });
}

/** Formats an age for people: `20 minutes ago`, `23 hours ago`, `3 days ago`. */
export function sayAgo(ms: number): string {
  if (ms < 90 * MINUTE_MS) return say('duration.minutesAgo', { count: Math.round(ms / MINUTE_MS) });
  if (ms < 48 * HOUR_MS) return say('duration.hoursAgo', { count: Math.round(ms / HOUR_MS) });
  return say('duration.daysAgo', { count: Math.round(ms / (24 * HOUR_MS)) });
}

/** Formats tenths with the decimal sign of the language: `0.4` or `0,4`. */
function sayTenths(tenths: number, language: string): string {
  return (tenths / 10).toLocaleString(toLanguage(language) ?? DEFAULT_LANGUAGE, { minimumFractionDigits: 1 });
}

/** Formats a time for operators, in English: `20 ms`, `1.5 s`. */
export function formatSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
}
