const CLOCK = new Intl.DateTimeFormat([], { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'long' });
const DAY_MS = 86_400_000;

/** Hours and minutes of a Unix time in seconds. */
export function timeOf(seconds: number): string {
  return CLOCK.format(seconds * 1000);
}

/** "Today", "Yesterday" or the day. */
export function dayOf(seconds: number): string {
  const date = new Date(seconds * 1000).toDateString();
  if (date === new Date().toDateString()) return 'Today';
  if (date === new Date(Date.now() - DAY_MS).toDateString()) return 'Yesterday';
  return DAY.format(seconds * 1000);
}

/** Minutes and seconds of a recording. */
export function lengthOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, '0')}`;
}

/** "1.4 MB", as people say it. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const amount = bytes / 1024 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}
