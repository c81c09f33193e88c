import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a value with the secret in constant time. Repeated headers arrive joined by a comma and so never match. */
export function createSecretCheck(secret: string): (given: unknown) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(typeof given === 'string' ? given : ''), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
