import { TEST_SECRETS_KEY } from './secrets-key.ts';

/** Variables with the reason why tests set them. */
type Departures = Readonly<Record<string, { readonly value: string; readonly why: string }>>;

/*
 * What the stacks of the tests set that `npm start` does not, and why. Nothing else departs from it: logins, row policies, Redis users,
 * keys, variables and defaults come from service-wiring.ts. A test that sets more does so where it opens its stack.
 */

/** In every stack. */
export const DEPARTURES: Departures = {
  TELEGRAM_CHAT_SENDS_PER_SECOND: { value: '500', why: 'a test waits for answers, not for the pace of a chat' },
  TELEGRAM_CHAT_BURST: { value: '100', why: 'the same' },
  TELEGRAM_GROUP_SENDS_PER_MINUTE: { value: '6000', why: 'the same in a group' },
  INBOUND_BURST: {
    value: '10000',
    why: 'a test writes more within ten seconds than a person; the limit has tests of its own',
  },
  INGRESS_BURST: { value: '10000', why: 'the same for a program' },
  SECRETS_KEY: { value: TEST_SECRETS_KEY, why: 'a test opens what it has sealed' },
  GATEWAY_HTTP_PORT: { value: '0', why: 'many stacks stand on one machine' },
  PROBE_PORT: { value: '0', why: 'the same' },
};

/** Where job services are killed. */
export const JOB_DEPARTURES: Departures = {
  JOBS_LEASE_MS: { value: '1000', why: 'a test does not wait 15 s until a dead process is noticed' },
  LOG_LEVEL: { value: 'silent', why: 'what is broken on purpose is no news' },
};

/** Where a gateway is tested without a worker. */
export const GATEWAY_DEPARTURES: Departures = {
  GATEWAY_CHANNELS: { value: 'telegram', why: 'a test is about one channel, and names another one itself' },
  WEB_DEMO_PEOPLE: { value: 'off', why: 'people sign in by a link, as with a real bot' },
};

/** The variables of such a list. */
export function variablesOf(departures: Departures): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(departures).map(([name, { value }]) => [name, value]));
}
