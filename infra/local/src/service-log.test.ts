import { expect, test } from 'vitest';
import { shortenLine } from './service-log.ts';

test('warnings and errors are shown with their fields, routine fields are not', () => {
  const line = '{"level":40,"time":1,"pid":2,"service":"worker","msg":"lane lost","userKey":"1001","epoch":3}';
  expect(shortenLine(line)).toBe('warn: lane lost userKey=1001 epoch=3');
  expect(shortenLine('{"level":"error","msg":"no","error":{"message":"gone","stack":"at x"}}')).toBe(
    'error: no error=gone',
  );
});

test('everything else stays in the log file', () => {
  for (const line of ['{"level":30,"msg":"turn finished"}', '{"level":', 'plain text', '', '{}']) {
    expect(shortenLine(line)).toBeNull();
  }
});

test('a long line is cut', () => {
  expect(shortenLine(`{"level":50,"msg":"${'x'.repeat(500)}"}`)).toHaveLength(300);
});
