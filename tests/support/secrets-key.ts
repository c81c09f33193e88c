import { randomBytes } from 'node:crypto';

/** The key of everything that one test file starts: services of one installation share theirs. */
export const TEST_SECRETS_KEY = randomBytes(32).toString('base64');
