import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';

const DAY_MS = 24 * HOUR_MS;

const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** `2 hours`, `last 30 min`, `a week ago`, `1d`. */
const AGO =
  /^(?:the )?(?:last |past )?(?:(\d{1,5})|an?)? ?(m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?: ago)?$/;
const ISO = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(z|[+-]\d\d:?\d\d)?)?$/;
const CLOCK = /^(\d{1,2}):(\d\d)$/;

/**
 * Reads a time in the past, in words or as ISO 8601: `2 hours`, `yesterday`, `monday`, `09:00`, `2026-11-27T09:00Z`. Without a zone it is
 * UTC, as all times of Signalbox. Null for other texts and for times in the future. Pure.
 */
export function parseSince(text: string, now: Date): Date | null {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^since /, '');
  const at = parseAgo(words, now) ?? parseIso(words) ?? parseDay(words, now);
  return at === null || at.getTime() > now.getTime() ? null : at;
}

/** Reads a time in the past as `parseSince`. Throws TIME_UNCLEAR. */
export function requireSince(text: string, now: Date): Date {
  const at = parseSince(text, now);
  if (at === null) throw new AppError('TIME_UNCLEAR', { time: text.slice(0, 60) });
  return at;
}

function parseAgo(words: string, now: Date): Date | null {
  const [, count = '1', unit = ''] = AGO.exec(words) ?? [];
  const unitMs = UNIT_MS[unit.charAt(0)];
  return unitMs === undefined ? null : new Date(now.getTime() - Number(count) * unitMs);
}

function parseIso(words: string): Date | null {
  const [, day, time = '00:00', zone = 'z'] = ISO.exec(words) ?? [];
  if (day === undefined) return null;
  const at = new Date(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(at.getTime()) ? null : at;
}

function parseDay(words: string, now: Date): Date | null {
  const today = new Date(now.toISOString().slice(0, 10)).getTime();
  const [, hours, minutes] = CLOCK.exec(words) ?? [];
  if (hours !== undefined) {
    const at = today + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
    return Number(hours) > 23 || Number(minutes) > 59 ? null : new Date(at > now.getTime() ? at - DAY_MS : at);
  }
  if (words === 'today' || words === 'this morning') return new Date(today);
  if (words === 'yesterday') return new Date(today - DAY_MS);
  if (words === 'last night') return new Date(today - 6 * HOUR_MS);
  const weekday = WEEKDAYS.indexOf(words.replace(/^(?:last|on|this) /, '').replace(/^week$/, 'monday'));
  if (weekday < 0) return null;
  return new Date(today - ((now.getUTCDay() - weekday + 7) % 7) * DAY_MS);
}
