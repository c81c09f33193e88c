import { expect, test } from 'vitest';
import { shortenLine } from './service-log.ts';

test('warnings and errors are shown with their fields, routine fields are not', () => {
  const line =
    '{"level":"warn","at":"2030-01-01T00:00:00Z","service":"worker","message":"lane lost","userKey":"1001","epoch":3}';
  expect(shortenLine(line)).toBe('warn: lane lost userKey=1001 epoch=3');
  expect(shortenLine('{"level":"error","message":"no","error":{"message":"gone","stack":"at x"}}')).toBe(
    'error: no error=gone',
  );
});

test('everything else stays in the log file', () => {
  for (const line of ['{"level":"info","message":"turn finished"}', '{"level":', 'plain text', '', '{}']) {
    expect(shortenLine(line)).toBeNull();
  }
});

test('a long line is cut', () => {
  expect(shortenLine(`{"level":"error","message":"${'x'.repeat(500)}"}`)).toHaveLength(300);
});
