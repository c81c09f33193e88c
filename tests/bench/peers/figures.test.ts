import { expect, it } from 'vitest';
import { median, percentile, ratioOf, rounded } from './figures.ts';

it('a percentile is one of the measured values', () => {
  expect(percentile([5, 1, 4, 2, 3], 0.99)).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(3);
  expect(median([])).toBeNaN();
});

it('a ratio is computed round by round, so that a slow round counts for both sides', () => {
  expect(ratioOf([100, 10, 50], [50, 5, 100])).toEqual({ median: 2, from: 0.5, to: 2 });
});

it('figures have three significant digits', () => {
  expect([rounded(1.23456), rounded(1234.5), rounded(0.00123456)]).toEqual([1.23, 1230, 0.00123]);
});
