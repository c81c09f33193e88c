import { MINUTE_MS } from '@signalbox/contracts/time';

/** A moment as rules see it. `date` is 20261224, `weekday` 1 (Monday) to 7. */
export interface LocalTime {
  readonly date: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

/** Reads ISO 8601 moments in an IANA time zone. Throws RangeError for a zone that there is not, or a moment that is none. */
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
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
    const [year, month, day] = [of('year'), of('month'), of('day')];
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
    return {
      date: year * 10_000 + month * 100 + day,
      weekday: weekday === 0 ? 7 : weekday,
      hour: of('hour'),
      minute: of('minute'),
    };
  };
  // Reading a moment takes a tenth of a millisecond, and one minute is asked about again and again. No zone has had an offset with
  // seconds in it since 1972.
  let last: { readonly minute: number; readonly time: LocalTime } | null = null;
  return (at) => {
    const minute = Math.floor(Date.parse(at) / MINUTE_MS);
    if (last?.minute === minute) return last.time;
    const time = read(at);
    last = minute > FIRST_WHOLE_MINUTE ? { minute, time } : null;
    return time;
  };
}

const FIRST_WHOLE_MINUTE = Date.UTC(1973, 0) / MINUTE_MS;
