import { describe, expect, it } from 'vitest';
import { createTimeFormat } from './moments.ts';

const at = (text: string): Date => new Date(text);

describe("a date in the prompt's context", () => {
  it('is formatted in the local time of its time zone', () => {
    const berlin = createTimeFormat('Europe/Berlin');
    expect(berlin.minute(at('2026-11-25T23:30:00Z'))).toBe('2026-11-26 00:30');
    expect(berlin.day(at('2026-11-25T23:30:00Z'))).toBe('Thursday 2026-11-26');
    expect(berlin.offset(at('2026-11-25T12:00:00Z'))).toBe('UTC+01:00');
    expect(berlin.offset(at('2026-07-25T12:00:00Z'))).toBe('UTC+02:00');
    expect(createTimeFormat('Asia/Kathmandu').offset(at('2026-07-25T12:00:00Z'))).toBe('UTC+05:45');
  });

  it('counts days in its own time zone instead of UTC', () => {
    const auckland = createTimeFormat('Pacific/Auckland');
    // In Sydney this moment is 01:00 on the 26th.
    const now = at('2026-11-25T12:00:00Z');
    expect(auckland.ago(at('2026-11-25T11:30:00Z'), now)).toBe('today');
    expect(auckland.ago(at('2026-11-25T10:30:00Z'), now)).toBe('yesterday');
    expect(auckland.ago(at('2026-11-20T12:00:00Z'), now)).toBe('5 days ago');
    expect(auckland.dayBefore(now)).toBe('Wednesday 2026-11-25');
  });

  it.each([
    ['America/New_York', '2026-03-08T12:00:00Z', 'Saturday 2026-03-07'], // a day of 23 hours
    ['America/New_York', '2026-11-02T05:30:00Z', 'Sunday 2026-11-01'], // after a day of 25 hours
    ['Europe/Berlin', '2026-01-01T00:10:00Z', 'Wednesday 2025-12-31'],
  ])('has the right previous day in %s, even where clocks change', (zone, now, before) => {
    expect(createTimeFormat(zone).dayBefore(at(now))).toBe(before);
  });
});
