import { TEST_SECRETS_KEY } from './secrets-key.ts';

/**
 * What the stacks of the tests set that `npm start` does not, and why. Nothing else departs from it: logins, row policies, Redis users,
 * keys, variables and defaults come from service-wiring.ts. A test that sets more does so where it opens its stack.
 */
export const DEPARTURES: Readonly<Record<string, { readonly value: string; readonly why: string }>> = {
  TELEGRAM_CHAT_SENDS_PER_SECOND: { value: '500', why: 'a test waits for answers, not for the pace of a chat' },
  TELEGRAM_CHAT_BURST: { value: '100', why: 'the same' },
  TELEGRAM_GROUP_SENDS_PER_MINUTE: { value: '6000', why: 'the same in a group' },
  SECRETS_KEY: { value: TEST_SECRETS_KEY, why: 'a test opens what it has sealed' },
  GATEWAY_HTTP_PORT: { value: '0', why: 'many stacks stand on one machine' },
  PROBE_PORT: { value: '0', why: 'the same' },
};

/** The variables of the list above. */
export function departedVariables(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(DEPARTURES).map(([name, { value }]) => [name, value]));
}
