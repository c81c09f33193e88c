import { expect, test } from 'vitest';
import { shortenLine } from './service-log.ts';

test('warnings and errors are shown without routine fields', () => {
  const line =
    '{"level":"warn","at":"2030-01-01T00:00:00Z","service":"worker","message":"lane lost","userKey":"1001","epoch":3}';
  expect(shortenLine(line)).toBe('warn: lane lost userKey=1001 epoch=3');
  expect(shortenLine('{"level":"error","message":"no","error":{"message":"gone","stack":"at x"}}')).toBe(
    'error: no error=gone',
  );
});

test('other lines are not shown', () => {
  for (const line of ['{"level":"info","message":"turn finished"}', '{"level":', 'plain text', '', '{}']) {
    expect(shortenLine(line)).toBeNull();
  }
});

test('a line is cut at 300 characters', () => {
  expect(shortenLine(`{"level":"error","message":"${'x'.repeat(500)}"}`)).toHaveLength(300);
});
