import { Cron } from 'croner';
import type { When } from './read-when.ts';

const DAY_MS = 86_400_000;
/** A pattern without a run in this many days never has one, such as the 30th of February. */
const HORIZON_DAYS = 5 * 366;

/** When a schedule runs: a cron pattern, or one moment. */
export interface RunTimes {
  readonly pattern: string | null;
  readonly at: Date | null;
  readonly zone: string;
}

/** Resolves what a person said about time, as of `now`. Null for a pattern that cron does not know, and for a date that there is not. Pure. */
export function resolveWhen(when: When, zone: string, now: Date): RunTimes | null {
  switch (when.kind) {
    case 'cron':
      return tryCron(when.pattern, zone) && { pattern: when.pattern, at: null, zone };
    case 'after':
      return { pattern: null, at: new Date(now.getTime() + when.ms), zone };
    case 'once':
      return toMoment(when.local, zone);
    case 'day':
      return toMoment(pickDay(when, zone, now), zone);
  }
}

/**
 * Lists the next runs after a moment, at the latest until another, in order; fewer when there are no more. A day of the month and a weekday together mean either of them.
 * An hour that a change of clocks leaves out runs right after it; one that comes twice runs once, except in a pattern of every hour or minute.
 * Pure.
 */
export function listNextRuns(
  { pattern, at, zone }: RunTimes,
  after: Date,
  count: number,
  until = new Date(after.getTime() + HORIZON_DAYS * DAY_MS),
): readonly Date[] {
  if (pattern === null) return at !== null && at > after ? [at] : [];
  return tryCron(pattern, zone, until)?.nextRuns(count, after) ?? [];
}

/** The shortest time between runs of a pattern within its next ones, in milliseconds; Infinity for a single run. Pure. */
export function measureShortestGap(times: RunTimes, after: Date): number {
  const runs = listNextRuns(times, after, 70);
  return Math.min(...runs.slice(1).map((run, place) => run.getTime() - (runs[place]?.getTime() ?? 0)), Infinity);
}

/** Finds a zone by its IANA name, in its usual spelling; null for an unknown one. Pure. */
export function findZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Returns the date and the time of a moment by the clock of a zone, such as `2026-11-30` and `09:00`. Pure. */
export function toLocalTime(at: Date, timeZone: string): { readonly date: string; readonly clock: string } {
  const text = at.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return { date: text.slice(0, 10), clock: text.slice(11, 16) };
}

function tryCron(pattern: string, timezone: string, stopAt?: Date): Cron | null {
  try {
    return new Cron(pattern, {
      timezone,
      mode: '5-part',
      domAndDow: false,
      paused: true,
      ...(stopAt ? { stopAt } : {}),
    });
  } catch {
    return null;
  }
}

/** The moment of a local time in a zone. A time that a change of clocks leaves out is the one right after it. */
function toMoment(local: string, zone: string): RunTimes | null {
  try {
    // Read as of long ago, because croner gives only moments that are still to come.
    const at = new Cron(`${local}:00`, { timezone: zone, paused: true }).nextRun(new Date(0));
    return at && { pattern: null, at, zone };
  } catch {
    return null;
  }
}

function pickDay({ days, weekday, hour, minute }: When & { readonly kind: 'day' }, zone: string, now: Date): string {
  const clock = `${pad(hour)}:${pad(minute)}`;
  const today = toLocalTime(now, zone);
  const on = (ahead: number): string => {
    const date = new Date(`${today.date}T12:00:00Z`);
    return new Date(date.getTime() + ahead * DAY_MS).toISOString().slice(0, 10);
  };
  if (days !== null) return `${on(days)}T${clock}`;
  const isOver = today.clock >= clock;
  if (weekday === null) return `${on(isOver ? 1 : 0)}T${clock}`;
  const ahead = (weekday - new Date(`${today.date}T12:00:00Z`).getUTCDay() + 7) % 7;
  return `${on(ahead === 0 && isOver ? 7 : ahead)}T${clock}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
