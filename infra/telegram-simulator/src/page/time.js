const CLOCK = new Intl.DateTimeFormat([], { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'long' });
const RELATIVE = new Intl.RelativeTimeFormat([], { numeric: 'auto' });

/** Hours and minutes of a Unix time in seconds. */
export function timeOf(seconds) {
  return CLOCK.format(seconds * 1000);
}

/** No day begins within such a part of an hour, anywhere in the world. */
const PART_SECONDS = 900;
const midnights = new Map();

/** Whether two Unix times in seconds are on one day here. Asked for each message of a long chat, so it remembers. */
export function isSameDay(one, other) {
  return midnightOf(one) === midnightOf(other);
}

/** "Today", "Yesterday" or the day. */
export function dayOf(seconds) {
  const date = new Date(seconds * 1000);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return 'Today';
  now.setDate(now.getDate() - 1);
  if (date.toDateString() === now.toDateString()) return 'Yesterday';
  return DAY.format(date);
}

/** Minutes and seconds of a recording. */
export function lengthOf(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`;
}

const PARTS = {
  w: { weekday: 'long' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
};

/**
 * A moment in the format of Telegram's date_time: `r` counts from now; `w`, `d` or `D`, and `t` or `T` are the weekday,
 * the day and the time, short or long. Empty for an empty format.
 */
export function formatMoment(seconds, format) {
  if (format === 'r') return formatDistance(seconds - Date.now() / 1000);
  const parts = [...format].filter((letter) => PARTS[letter]);
  return parts.map((letter) => new Intl.DateTimeFormat([], PARTS[letter]).format(seconds * 1000)).join(', ');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

function formatDistance(seconds) {
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

function midnightOf(seconds) {
  const part = Math.floor(seconds / PART_SECONDS);
  const known = midnights.get(part);
  if (known !== undefined) return known;
  const midnight = new Date(seconds * 1000).setHours(0, 0, 0, 0);
  midnights.set(part, midnight);
  return midnight;
}
