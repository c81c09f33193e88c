import type { Fields } from '@signalbox/platform/log';
import { expect, test } from 'vitest';
import { createRefusalLog } from './refusal-log.ts';

test('a thousand refusals within a minute are one line, and the next minute says how many there were', () => {
  let now = 0;
  const lines: Fields[] = [];
  const ignore = (): void => undefined;
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (_: string, fields: Fields = {}) => void lines.push(fields),
    child: () => log,
  };
  const tell = createRefusalLog(log, 'telegram', () => now);
  for (let n = 0; n < 1_000; n += 1) tell('bad-secret');
  tell('too-large');
  expect(lines).toEqual([
    { channel: 'telegram', reason: 'bad-secret', count: 1 },
    { channel: 'telegram', reason: 'too-large', count: 1 },
  ]);
  now = 60_000;
  tell('bad-secret');
  expect(lines[2]).toEqual({ channel: 'telegram', reason: 'bad-secret', count: 1_000 });
});
