import { randomBytes } from 'node:crypto';
import { deriveSealingKey } from '@signalbox/safety/secrets/key-pair';

/** The key of everything that one test file starts: services of one installation share theirs. */
export const TEST_SECRETS_KEY = randomBytes(32).toString('base64');

/** What a gateway seals with under that key. */
export const TEST_SEALING_KEY = sealingKeyOf(TEST_SECRETS_KEY);

/** What a gateway seals with under a key of the secrets in base 64. */
export function sealingKeyOf(secretsKey: string): string {
  return deriveSealingKey(Buffer.from(secretsKey, 'base64')).toString('base64');
}
