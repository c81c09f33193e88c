import type { LogFields } from '@signalbox/platform/log';
import { expect, test } from 'vitest';
import { createRefusalLog } from './refusal-log.ts';

test('a thousand refusals in one minute are logged once, and their number is logged in the next minute', () => {
  let now = 0;
  const lines: LogFields[] = [];
  const ignore = (): void => undefined;
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (_: string, fields: LogFields = {}) => void lines.push(fields),
    child: () => log,
  };
  const logRefusal = createRefusalLog(log, 'telegram', () => now);
  for (let n = 0; n < 1_000; n += 1) logRefusal('bad-secret');
  logRefusal('too-large');
  expect(lines).toEqual([
    { channel: 'telegram', reason: 'bad-secret', count: 1 },
    { channel: 'telegram', reason: 'too-large', count: 1 },
  ]);
  now = 60_000;
  logRefusal('bad-secret');
  expect(lines[2]).toEqual({ channel: 'telegram', reason: 'bad-secret', count: 1_000 });
});
