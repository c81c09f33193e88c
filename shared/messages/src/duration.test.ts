import { expect, it } from 'vitest';
import { sayDuration } from './duration.ts';

it.each([
  [0, '0.1 s'],
  [412, '0.4 s'],
  [949, '0.9 s'],
  [950, '1 s'],
  [12_300, '12 s'],
  [89_900, '90 s'],
  [90_000, '2 min'],
  [5_399_000, '90 min'],
  [5_400_000, '2 h'],
  [3_600_000_000, '1000 h'],
])('sayDuration shows %i ms as %s', (ms, said) => {
  expect(sayDuration(ms)).toBe(said);
  expect(sayDuration(ms, 'a language without a folder')).toBe(said);
});

it('sayDuration writes tenths of a second with the decimal separator of the language', () => {
  expect(['de', 'es', 'ru', 'zh'].map((language) => sayDuration(400, language))).toEqual([
    '0,4 s',
    '0,4 s',
    '0,4 с',
    '0.4 秒',
  ]);
});
