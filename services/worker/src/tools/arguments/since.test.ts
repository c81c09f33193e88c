import { expect, test } from 'vitest';
import { parseSince } from './since.ts';

const NOW = new Date('2026-11-27T12:30:00Z'); // a Friday
const read = (text: string): string | null => parseSince(text, NOW)?.toISOString() ?? null;

test('a time in the past may be written in words or as ISO 8601, and is UTC without a zone', () => {
  for (const [text, at] of [
    ['2 hours', '2026-11-27T10:30:00.000Z'],
    ['last 30 min', '2026-11-27T12:00:00.000Z'],
    ['1d', '2026-11-26T12:30:00.000Z'],
    ['a week ago', '2026-11-20T12:30:00.000Z'],
    ['the last hour', '2026-11-27T11:30:00.000Z'],
    ['today', '2026-11-27T00:00:00.000Z'],
    ['Yesterday', '2026-11-26T00:00:00.000Z'],
    ['last night', '2026-11-26T18:00:00.000Z'],
    ['monday', '2026-11-23T00:00:00.000Z'],
    ['this week', '2026-11-23T00:00:00.000Z'],
    ['friday', '2026-11-27T00:00:00.000Z'],
    ['09:00', '2026-11-27T09:00:00.000Z'],
    ['since 18:15', '2026-11-26T18:15:00.000Z'],
    ['2026-11-25', '2026-11-25T00:00:00.000Z'],
    ['2026-11-25 09:00', '2026-11-25T09:00:00.000Z'],
    ['2026-11-25T09:00:00+02:00', '2026-11-25T07:00:00.000Z'],
  ])
    expect([text, read(text ?? '')]).toEqual([text, at]);
});

test('other texts, impossible times and times in the future are refused', () => {
  for (const text of [
    '',
    'soon',
    'tomorrow',
    '25:00',
    '12:75',
    '2026-13-01',
    '2027-01-01',
    '-2 hours',
    'the dawn of time',
  ])
    expect([text, read(text)]).toEqual([text, null]);
});
