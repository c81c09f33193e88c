import { expect, test } from 'vitest';
import { createSecretCheck } from './secret-check.ts';

const SECRET = 'correct-horse_battery-staple';
const isSecret = createSecretCheck(SECRET);

test('the webhook accepts its own secret', () => {
  expect(isSecret(SECRET)).toBe(true);
});

test.each([
  ['nothing', undefined],
  ['an empty header', ''],
  ['a header that was sent twice', `${SECRET}, ${SECRET}`],
  ['a list of headers', [SECRET]],
  ['the secret without its last letter', SECRET.slice(0, -1)],
  ['the secret with one letter more', `${SECRET}x`],
  ['the secret with a space behind it', `${SECRET} `],
  ['the secret in capitals', SECRET.toUpperCase()],
  ['the secret with its first letter changed', `d${SECRET.slice(1)}`],
  ['something very long', SECRET.repeat(10_000)],
])('the webhook refuses %s in place of its secret', (_, given) => {
  expect(isSecret(given)).toBe(false);
});
