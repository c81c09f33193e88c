import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFreshTimestamp, isSignature, hasValidSignature, signContent } from './signature.ts';

test('a signature equals the one that openssl computes', () => {
  // printf '1700000000.{"text":"hi"}' | openssl dgst -sha256 -hmac 'key'
  expect(signContent('key', '1700000000', '{"text":"hi"}')).toBe(
    'v1=e0fb27bbd98eedf3b560379f4c21ed82331fa6f39b2c39ccf439a53c12cd1485',
  );
});

test('a signature is valid only with the secret, time and content that it was made with', () => {
  const text = fc.string({ minLength: 1, maxLength: 40 });
  const time = fc.integer({ min: 0, max: 2_000_000_000 }).map(String);
  fc.assert(
    fc.property(text, time, text, text, time, (secret, timestamp, content, other, otherTime) => {
      const signature = signContent(secret, timestamp, content);
      expect(isSignature(signature)).toBe(true);
      const check = (secrets: readonly string[], at: string, given: string): boolean =>
        hasValidSignature(secrets, { timestamp: at, content: Buffer.from(given), signature });
      expect(check([secret], timestamp, content)).toBe(true);
      expect(check(['another secret', secret], timestamp, content)).toBe(true);
      expect(check([secret], timestamp, other)).toBe(other === content);
      expect(check([secret], otherTime, content)).toBe(otherTime === timestamp);
      expect(check([`${secret}x`], timestamp, content)).toBe(false);
      expect(check([], timestamp, content)).toBe(false);
    }),
  );
});

test.each([
  [0, true],
  [299, true],
  [-299, true],
  [301, false],
  [-301, false],
  [86_400, false],
])('a signature made %i seconds ago is accepted (true or false: %s)', (age, isIn) => {
  const nowMs = 1_700_000_000_500;
  expect(isFreshTimestamp(String(1_700_000_000 - age), nowMs)).toBe(isIn);
});
