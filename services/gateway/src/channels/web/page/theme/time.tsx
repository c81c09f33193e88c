import type { VNode } from 'preact';
import { LOCALE } from '../say.ts';

const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' });
const WHOLE = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

/** A time of day; pointing at it shows the date as well. */
export function TimeOfDay({ at }: { readonly at: string }): VNode {
  const date = new Date(at);
  return (
    <time dateTime={at} title={WHOLE.format(date)}>
      {CLOCK.format(date)}
    </time>
  );
}

export function formatDateTime(at: string): string {
  return WHOLE.format(new Date(at));
}

export function formatDay(at: string): string {
  return DAY.format(new Date(at));
}
