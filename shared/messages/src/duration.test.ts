import { expect, it } from 'vitest';
import { sayDuration } from './duration.ts';

it.each([
  [0, 'less than 1 s'],
  [499, 'less than 1 s'],
  [500, '1 s'],
  [12_300, '12 s'],
  [89_900, '90 s'],
  [90_000, '2 min'],
  [5_399_000, '90 min'],
  [5_400_000, '2 h'],
  [3_600_000_000, '1000 h'],
])('%i ms are %s', (ms, said) => {
  expect(sayDuration(ms)).toBe(said);
  expect(sayDuration(ms, 'a language without a folder')).toBe(said);
});
