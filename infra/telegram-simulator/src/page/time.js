const CLOCK = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'long' });

/** Hours and minutes of a Unix time in seconds. */
export function timeOf(seconds) {
  return CLOCK.format(seconds * 1000);
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
