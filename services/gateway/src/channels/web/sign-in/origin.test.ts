import { describe, expect, test } from 'vitest';
import { createHostCheck, createOriginCheck, isLoopback } from './origin.ts';

const LOCAL = 'http://127.0.0.1:8082';
const PUBLIC = 'https://chat.example.org';

describe('the Origin header of a request', () => {
  const isOurs = (createPublicUrl: string | null, origin: string | undefined, host: string): boolean =>
    createOriginCheck(() => createPublicUrl)({ ...(origin === undefined ? {} : { origin }), host });

  test.each([LOCAL, 'http://localhost:8082', 'http://[::1]:8082', 'http://127.1.2.3:8082'])(
    'is accepted when it is a name of the local machine: %s',
    (origin) => expect(isOurs(LOCAL, origin, new URL(origin).host)).toBe(true),
  );

  test.each([
    ['http://localhost:8082', '127.0.0.1:8082'],
    ['http://127.0.0.1:9', '127.0.0.1:8082'],
    ['http://evil.example:8082', 'evil.example:8082'],
    ['null', '127.0.0.1:8082'],
    [undefined, '127.0.0.1:8082'],
    ['https://127.0.0.1:8082', '127.0.0.1:8082'],
  ])('is refused when it is %s and the Host header is %s', (origin, host) =>
    expect(isOurs(LOCAL, origin, host)).toBe(false),
  );

  test('is accepted only if it equals the configured public address', () => {
    expect(isOurs(PUBLIC, PUBLIC, 'gateway:8082')).toBe(true);
    for (const origin of [
      'http://chat.example.org',
      'https://chat.example.org.evil.example',
      'https://example.org',
      LOCAL,
    ])
      expect(isOurs(PUBLIC, origin, new URL(origin).host)).toBe(false);
  });

  test("is refused before the page's own address is known", () => {
    expect(isOurs(null, LOCAL, '127.0.0.1:8082')).toBe(false);
  });
});

test('a request to a local gateway is refused unless its Host header names the local machine', () => {
  const isForUs = createHostCheck(() => LOCAL);
  expect(['127.0.0.1:8082', 'localhost', '[::1]:8082'].map((host) => isForUs({ host }))).toEqual([true, true, true]);
  expect(['evil.example:8082', '', '127.0.0.1.evil.example'].map((host) => isForUs({ host }))).toEqual([
    false,
    false,
    false,
  ]);
  expect(createHostCheck(() => PUBLIC)({ host: 'gateway:8082' })).toBe(true);
});

test('isLoopback is false for every address that other machines can reach', () => {
  expect(['127.0.0.1', '127.9.9.9', 'localhost', '::1'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '', '10.0.0.1', 'localhost.example.org', '1127.0.0.1'].some(isLoopback)).toBe(false);
});
