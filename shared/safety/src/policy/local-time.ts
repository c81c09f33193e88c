import { MINUTE_MS } from '@signalbox/contracts/time';

/** A local time for policy rules: `date` as 20261224, `weekday` from 1 (Monday) to 7. */
export interface LocalTime {
  readonly date: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

/** Creates a converter of ISO 8601 times to an IANA time zone. Throws RangeError for an unknown zone or an invalid time. */
export function createLocalTime(timeZone: string): (at: string) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const read = (at: string): LocalTime => {
    const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, Number(value)]));
    const getPart = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
    const [year, month, day] = [getPart('year'), getPart('month'), getPart('day')];
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
    return {
      date: year * 10_000 + month * 100 + day,
      weekday: weekday === 0 ? 7 : weekday,
      hour: getPart('hour'),
      minute: getPart('minute'),
    };
  };
  // Converting takes 0.1 ms, so the last minute is cached. Since 1972 no zone has an offset with seconds.
  let cached: { readonly minute: number; readonly time: LocalTime } | null = null;
  return (at) => {
    const minute = Math.floor(Date.parse(at) / MINUTE_MS);
    if (cached?.minute === minute) return cached.time;
    const time = read(at);
    cached = minute > FIRST_WHOLE_MINUTE ? { minute, time } : null;
    return time;
  };
}

const FIRST_WHOLE_MINUTE = Date.UTC(1973, 0) / MINUTE_MS;
