import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether something is the secret. Takes the same time whatever is given, however long it is: digests are compared, which have one
 * length. A header that is sent twice arrives as both values with a comma between them, which no secret contains.
 */
export function createSecretCheck(secret: string): (given: unknown) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(typeof given === 'string' ? given : ''), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
