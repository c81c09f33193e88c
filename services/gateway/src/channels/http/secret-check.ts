import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares a value with the secret in constant time: digests of equal length are compared. A header sent twice arrives
 * joined by a comma, which no secret contains.
 */
export function createSecretCheck(secret: string): (given: unknown) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(typeof given === 'string' ? given : ''), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
