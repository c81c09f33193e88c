import { expect, test } from 'vitest';
import { foldLines } from './fold.ts';

const line = (at: string | null, text: string) => ({ at, stream: 'out' as const, line: text });

test('equal log lines in a row become one with a count, and times are times of day', () => {
  expect(
    foldLines([
      line('2026-11-26T23:59:59.100Z', 'starts'),
      line('2026-11-27T20:48:01.000Z', 'GET /tea 200'),
      line('2026-11-27T20:48:02.000Z', 'GET /tea 200'),
      line(null, 'no time'),
    ]),
  ).toEqual(['2026-11-26 23:59:59 starts', '20:48:01 GET /tea 200 (2 ×)', 'no time']);
});
