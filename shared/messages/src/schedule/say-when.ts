import { getCurrentLanguage } from '../language.ts';
import { say } from '../say.ts';
import type { RunTimes } from './next-runs.ts';

/** Says when a schedule runs, in the current language: “every weekday at 09:00 (Europe/Berlin)”. */
export function sayWhen({ pattern, at, zone }: RunTimes): string {
  const words = pattern === null ? sayMoment(at ?? new Date(0), zone) : sayPattern(pattern);
  return say('schedules.inZone', { words, zone });
}

/** Says a moment in a zone: `Mon, 30 Nov 2026, 09:00`. */
export function sayMoment(at: Date, timeZone: string): string {
  return at.toLocaleString(getCurrentLanguage(), {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}

/** Says a cron pattern; one that is not among the usual ones stays a pattern. */
function sayPattern(pattern: string): string {
  const [minute = '', hour = '', day = '', month = '', week = ''] = pattern.split(' ');
  const raw = say('schedules.pattern', { pattern });
  if (month !== '*') return raw;
  const isDaily = day === '*' && week === '*';
  const everyMinutes = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (everyMinutes !== undefined && hour === '*' && isDaily) return say('schedules.minutes', { count: everyMinutes });
  if (!/^\d+$/.test(minute)) return raw;
  const everyHours = hour === '*' ? '1' : /^\*\/(\d+)$/.exec(hour)?.[1];
  if (everyHours !== undefined && isDaily)
    return say('schedules.hours', { count: Number(everyHours), minute: minute.padStart(2, '0') });
  if (!/^\d+(?:,\d+)*$/.test(hour)) return raw;
  const clock = hour.split(',').map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`);
  const time = new Intl.ListFormat(getCurrentLanguage()).format(clock);
  const days = /^\d+(?:,\d+)*$/.test(day) ? day.split(',').join(', ') : null;
  const weekdays = listWeekdays(week);
  if (isDaily) return say('schedules.daily', { time });
  if (day === '*') return weekdays === null ? raw : sayWeek(weekdays, time);
  if (days === null) return raw;
  if (week === '*') return say('schedules.monthly', { days, time });
  return weekdays === null ? raw : say('schedules.either', { days, weekdays: nameDays(weekdays), time });
}

function sayWeek(days: readonly number[], time: string): string {
  const set = days.join();
  if (set === '1,2,3,4,5') return say('schedules.weekdays', { time });
  if (set === '0,6') return say('schedules.weekends', { time });
  return say('schedules.weekly', { days: nameDays(days), time });
}

/** Reads a list of weekdays such as `1-5` or `MON,THU`; null for what it does not know. */
function listWeekdays(week: string): readonly number[] | null {
  const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const figures = names.reduce((text, name, day) => text.replaceAll(name, String(day)), week.toUpperCase());
  if (!/^[0-7](?:-[0-7])?(?:,[0-7](?:-[0-7])?)*$/.test(figures)) return null;
  const days = figures.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => (from + place) % 7);
  });
  return [...new Set(days)].toSorted((a, b) => a - b);
}

function nameDays(days: readonly number[]): string {
  const language = getCurrentLanguage();
  // 4 January 1970 was a Sunday.
  const names = days.map((day) =>
    new Date(Date.UTC(1970, 0, 4 + day)).toLocaleDateString(language, { weekday: 'long', timeZone: 'UTC' }),
  );
  return new Intl.ListFormat(language).format(names);
}
