import { expect, it } from 'vitest';
import { describeCheck, judgeChecks } from './change.ts';

const check = (exitCode: number) => ({
  kind: 'test' as const,
  command: 'npm test',
  exitCode,
  killed: null,
  seconds: 1,
});

it.each([
  [[check(0)], true, 'passed'],
  [[check(0), check(1)], true, 'failed'],
  [[check(228)], false, 'broken'],
  // A command that ends well without a test proves nothing.
  [[check(0)], false, 'none'],
  [[], false, 'none'],
] as const)('the checks %j, tested: %s, came to %s', (checks, isTested, verdict) => {
  expect(judgeChecks({ checks, isTested })).toBe(verdict);
});

it('a check says how its command ended', () => {
  expect([check(0), check(228), { ...check(137), killed: 'out of memory' }].map(describeCheck)).toEqual([
    'npm test: ✓',
    'npm test: ✗ exit 228',
    'npm test: ✗ out of memory',
  ]);
});
