import { expect, test } from 'vitest';
import { takeWholeLines } from './whole-lines.ts';

test.each([
  ['a,1\nb,2', 7, 'a,1\nb,2'],
  ['a,1\nb,2\nc,3', 8, 'a,1\nb,2'],
  ['a,1\nb,2\nc,3', 7, 'a,1\nb,2'],
  ['a,1\nb,2\nc,3', 6, 'a,1'],
  ['abcdef\nb', 3, 'abc'],
  ['', 3, ''],
])('%j is cut to whole lines in %i characters', (text, limit, expected) => {
  expect(takeWholeLines(text, limit)).toBe(expected);
});
