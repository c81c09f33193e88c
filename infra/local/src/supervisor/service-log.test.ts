import { expect, test } from 'vitest';
import { shortenLine } from './service-log.ts';

test('shortenLine shows warnings and errors without their time and service', () => {
  const line =
    '{"level":"warn","at":"2030-01-01T00:00:00Z","service":"worker","message":"lane lost","userKey":"1001","epoch":3}';
  expect(shortenLine(line)).toBe('warn: lane lost userKey=1001 epoch=3');
  expect(shortenLine('{"level":"error","message":"no","error":{"message":"gone","stack":"at x"}}')).toBe(
    'error: no error=gone',
  );
});

test('shortenLine hides info lines and lines that are not JSON', () => {
  for (const line of ['{"level":"info","message":"turn finished"}', '{"level":', 'plain text', '', '{}']) {
    expect(shortenLine(line)).toBeNull();
  }
});

test('shortenLine cuts a line at 300 characters', () => {
  expect(shortenLine(`{"level":"error","message":"${'x'.repeat(500)}"}`)).toHaveLength(300);
});
