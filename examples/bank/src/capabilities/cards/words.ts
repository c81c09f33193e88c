import { getCurrentLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { ToolContext } from '@signalbox/worker/tools/tool';

type CardRow = Awaited<ReturnType<ToolContext['ports']['cards']['list']>>[number];

/** Describes a payment card in one line. */
export function sayCard({ last4, kind, status, arrivesOn }: CardRow): string {
  return say('cards.card', { last4, kind, status, day: arrivesOn === null ? '' : sayDay(arrivesOn) });
}

/** Formats an amount, given in the smallest unit of its currency, in the reader's language. */
export function sayAmount(minor: number, currency: string): string {
  const format = new Intl.NumberFormat(getCurrentLanguage(), { style: 'currency', currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Formats the day of a moment in UTC, or of a date such as `2026-03-09`. */
export function sayDay(at: Date | string): string {
  return new Intl.DateTimeFormat(getCurrentLanguage(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(at));
}
