const CLOCK = new Intl.DateTimeFormat([], { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'long' });
const DAY_MS = 86_400_000;

/** Formats a Unix time in seconds as hours and minutes. */
export function formatTime(seconds: number): string {
  return CLOCK.format(seconds * 1000);
}

/** Formats a day as "Today", "Yesterday" or a date. */
export function formatDay(seconds: number): string {
  const date = new Date(seconds * 1000).toDateString();
  if (date === new Date().toDateString()) return 'Today';
  if (date === new Date(Date.now() - DAY_MS).toDateString()) return 'Yesterday';
  return DAY.format(seconds * 1000);
}

/** Formats a duration in minutes and seconds. */
export function formatDuration(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, '0')}`;
}

/** Formats a size, such as "1.4 MB". */
export function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const amount = bytes / 1024 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}
