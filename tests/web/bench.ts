import { grantUserRole } from '@signalbox/store/people/users';
import { createIdentityCode } from '@signalbox/store/people/identities';
import { openHarness, PEOPLE, type Harness, type StartedGateway } from '../integration/gateway/harness.ts';
import { afterEach, beforeEach } from 'vitest';
import { TestPage, type PageOptions } from './page.ts';
import { cookieOf, postSession } from './requests.ts';

/** A gateway with the web channel alone, at an address of its own. */
export interface WebGateway extends StartedGateway {
  readonly url: string;
}

export interface WebBench {
  readonly harness: Harness;
  start(settings?: Readonly<Record<string, string>>): Promise<WebGateway>;
  /** Signs Ada in with a new code, and answers her cookie. */
  signIn(url: string, userKey?: string): Promise<string>;
  open(options: PageOptions, kept?: TestPage): Promise<TestPage>;
}

/** The test that runs now has one. */
export let bench: WebBench;

export const ADA = PEOPLE.admin;
export const CHAT = `web:${ADA}`;

/** Opens a bench for each test of the file that calls it. `redisUrl`: a Redis of the test's own. */
export function useBench(): void {
  const pages: TestPage[] = [];
  beforeEach(async () => {
    bench = await openBench(pages);
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) page.socket.terminate();
    await bench.harness.close();
  });
}

export async function openBench(pages: TestPage[] = [], redisUrl?: string): Promise<WebBench> {
  const harness = await openHarness(redisUrl);
  return {
    harness,
    start: async (settings = {}) => {
      const started = await harness.startGateway({
        GATEWAY_CHANNELS: 'web',
        ...settings,
      });
      return { ...started, url: `http://127.0.0.1:${started.gateway.httpPort}` };
    },
    signIn: async (url, userKey: string = ADA) => {
      const response = await postSession(url, { code: await createIdentityCode(harness.pool, userKey) });
      if (response.status !== 200) throw new Error(`sign-in answered ${response.status}`);
      return cookieOf(response) ?? '';
    },
    open: async (options, kept) => {
      const page = new TestPage(options, kept ?? null);
      pages.push(page);
      return page.opened();
    },
  };
}

/** Says what a gateway tells the others, or something else in its place. */
export async function tellGateways(letter: unknown): Promise<void> {
  const { redis, prefix } = bench.harness;
  const heard = await redis.publish(`${prefix}channel:web:pages`, JSON.stringify(letter));
  if (heard === 0) throw new Error('no gateway hears it');
}

export async function addPerson(
  id: string,
  role: 'viewer' | 'developer' | 'operator' | 'admin' = 'developer',
): Promise<void> {
  await grantUserRole(bench.harness.pool, { userKey: id, channel: 'telegram', name: `P${id}`, role });
}
