/** Formats times in one zone, for a model. */
export type TimeFormat = ReturnType<typeof createTimeFormat>;

type Part = 'weekday' | 'year' | 'month' | 'day' | 'hour' | 'minute' | 'timeZoneName';

/** All zones differ from UTC by whole quarters of an hour. */
const QUARTER_MS = 15 * 60_000;

/** Created once, since an `Intl.DateTimeFormat` is slow to create. */
const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });

export function createTimeFormat(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });
  /** Caches the parts of the last formatted minute, since one text often formats the same minute several times. */
  let last: { readonly minute: number; readonly parts: Readonly<Record<Part, string>> } | undefined;
  const read = (at: Date): Readonly<Record<Part, string>> => {
    const minute = Math.floor(at.getTime() / 60_000);
    if (last?.minute === minute) return last.parts;
    const parts = format.formatToParts(at).map(({ type, value }) => [type, value]);
    last = { minute, parts: Object.fromEntries(parts) as Record<Part, string> }; // the format names each of these parts
    return last.parts;
  };
  const dayOf = (at: Date): string => {
    const { year, month, day } = read(at);
    return `${year}-${month}-${day}`;
  };
  /** Returns noon `days` before `at`: near midnight, a day of 23 or 25 hours could lead to a wrong date. */
  const daysBefore = (at: Date, days: number): Date =>
    new Date(Date.parse(`${dayOf(at)}T12:00:00Z`) - days * 24 * 3_600_000);

  return {
    timeZone,
    /** Formats a day: `Wednesday 2026-11-25`. */
    day: (at: Date): string => `${read(at).weekday} ${dayOf(at)}`,
    /** Formats a minute: `2026-11-25 15:33`. */
    minute: (at: Date): string => `${dayOf(at)} ${clockOf(read(at))}`,
    /** Formats the quarter of an hour in which a time lies: `15:30 to 15:45`. */
    quarter: (at: Date): string => {
      const start = Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS;
      return [start, start + QUARTER_MS].map((time) => clockOf(read(new Date(time)))).join(' to ');
    },
    /** Formats a time of day: `15:33`. */
    clock: (at: Date): string => clockOf(read(at)),
    /** Formats the zone's offset: `UTC+01:00`. */
    offset: (at: Date): string => read(at).timeZoneName.replace('GMT', 'UTC'),
    /** Formats the day before `at`: `Tuesday 2026-11-24`. */
    dayBefore: (at: Date): string => {
      const noon = daysBefore(at, 1);
      return `${WEEKDAY.format(noon)} ${noon.toISOString().slice(0, 10)}`;
    },
    /** Formats the distance in calendar days of the zone: `today`, `yesterday`, `3 days ago`. */
    ago: (at: Date, now: Date): string => {
      const days = Math.round((Date.parse(dayOf(now)) - Date.parse(dayOf(at))) / (24 * 3_600_000));
      if (days <= 0) return 'today';
      return days === 1 ? 'yesterday' : `${days} days ago`;
    },
  };
}

function clockOf({ hour, minute }: Pick<Record<Part, string>, 'hour' | 'minute'>): string {
  return `${hour}:${minute}`;
}
