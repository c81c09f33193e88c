import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { getClientAddress, createAttemptLimit } from './attempt-limit.ts';

const TEN_MINUTES_MS = 600_000;

test('ten failed sign-ins block only the address that made them, for ten minutes', () => {
  const clock = { ms: 0 };
  const limit = createAttemptLimit(() => clock.ms);
  for (let n = 0; n < 9; n += 1) limit.fail('a');
  expect(limit.waitMs('a')).toBe(0);
  clock.ms += 1_000;
  limit.fail('a');
  expect([limit.waitMs('a'), limit.waitMs('b')]).toEqual([TEN_MINUTES_MS - 1_000, 0]);
  clock.ms = TEN_MINUTES_MS;
  expect(limit.waitMs('a')).toBe(0);
  limit.fail('a');
  expect(limit.waitMs('a')).toBe(0);
});

test('after 10,000 other addresses have failed, the address that failed first is forgotten', () => {
  const limit = createAttemptLimit(() => 0);
  for (let n = 0; n < 10; n += 1) limit.fail('first');
  for (let n = 0; n < 10_000; n += 1) limit.fail(`address ${n}`);
  expect(limit.waitMs('first')).toBe(0);
});

test.each([
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['::ffff:172.18.0.2', '10.9.9.9, 198.51.100.1', '198.51.100.1'],
  ['10.0.0.2', 'not an address', '10.0.0.2'],
  ['127.0.0.1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
])('an attempt from %s with X-Forwarded-For %s counts for the address %s', (peer, said, expected) => {
  // Only this property is read.
  const socket = { remoteAddress: peer } as Socket;
  expect(getClientAddress({ socket, headers: said === undefined ? {} : { 'x-forwarded-for': said } })).toBe(expected);
});
