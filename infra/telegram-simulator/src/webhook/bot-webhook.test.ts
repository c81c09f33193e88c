import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from 'grammy';
import type { Update } from 'grammy/types';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from '../server.ts';
import { createSimulatorClient, type SimulatorClient } from '../simulator-client.ts';

interface Delivery {
  readonly update: Update;
  readonly headers: IncomingHttpHeaders;
}

let simulator: Simulator;
let api: Api;
let client: SimulatorClient;
let receiver: Server;
let url: string;
let deliveries: Delivery[];
/** Returns the status of each response; the webhook hangs until the promise settles. */
let answer: (update: Update) => number | Promise<number>;

beforeEach(async () => {
  simulator = await createSimulator();
  api = new Api(DEFAULT_TOKEN, { apiRoot: simulator.url });
  client = createSimulatorClient(simulator.url);
  deliveries = [];
  answer = () => 200;
  receiver = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const update = JSON.parse(Buffer.concat(parts).toString()) as Update;
      deliveries.push({ update, headers: request.headers });
      response.writeHead(await answer(update)).end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`;
});
afterEach(async () => {
  await simulator.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

async function say(text: string, from = 1001): Promise<void> {
  await client.post('/api/messages', { from, text });
}

const collectTexts = (): (string | undefined)[] => deliveries.map(({ update }) => update.message?.text);
const pending = (): Promise<number> => client.get<number>('/api/pending');

async function until(holds: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(holds, { timeout: 8_000 });
}

async function untilDelivered(texts: readonly string[]): Promise<void> {
  await until(() => expect(collectTexts()).toEqual(texts));
}

test("updates are posted with the webhook's secret, and updates from before setWebhook come first", async () => {
  await say('before');
  await api.setWebhook(url, { secret_token: 'a-Secret_1' });
  await say('after');
  await untilDelivered(['before', 'after']);
  expect(deliveries[0]?.headers['x-telegram-bot-api-secret-token']).toBe('a-Secret_1');
  expect(deliveries[0]?.headers['content-type']).toBe('application/json');
  await until(async () => expect(await pending()).toBe(0));
});

test('updates to a webhook without a secret have no secret header', async () => {
  await api.setWebhook(url);
  await say('hi');
  await untilDelivered(['hi']);
  expect(deliveries[0]?.headers).not.toHaveProperty('x-telegram-bot-api-secret-token');
});

test('an update is posted again until the webhook accepts it, and later updates of its chat wait', async () => {
  let refusals = 3;
  answer = (update) => (update.message?.text === 'first' && refusals-- > 0 ? 500 : 200);
  await api.setWebhook(url);
  await say('first');
  await say('second');
  await untilDelivered(['first', 'first', 'first', 'first', 'second']);
  expect(await api.getWebhookInfo()).toMatchObject({
    url,
    last_error_date: expect.any(Number),
    last_error_message: 'Wrong response from the webhook: 500 Internal Server Error',
  });
});

test('a chat whose update the webhook refuses does not delay another chat', async () => {
  answer = (update) => (update.message?.chat.id === 1001 ? 503 : 200);
  await api.setWebhook(url);
  await say('refused', 1001);
  await say('taken', 1002);
  await until(() => expect(collectTexts()).toContain('taken'));
  expect(await pending()).toBe(1);
});

test('a webhook with one connection receives the updates of all chats one by one, in order', async () => {
  let open = 0;
  let mostOpen = 0;
  answer = async () => {
    mostOpen = Math.max(mostOpen, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return 200;
  };
  for (const from of [1001, 1002, 1003, 1001, 1002]) await say(`from ${from}`, from);
  await api.setWebhook(url, { max_connections: 1 });
  await untilDelivered(['from 1001', 'from 1002', 'from 1003', 'from 1001', 'from 1002']);
  expect(mostOpen).toBe(1);
});

test('updates of different chats are posted in parallel, those of one chat in order', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  answer = async () => {
    await released;
    return 200;
  };
  await api.setWebhook(url);
  await say('one', 1001);
  await say('two', 1001);
  await say('other', 1002);
  await until(() => expect(collectTexts()).toEqual(['one', 'other']));
  release();
  await untilDelivered(['one', 'other', 'two']);
});

test('an update is posted again when the webhook does not answer in time', async () => {
  await client.post('/api/settings', { webhookTimeoutMs: 50 });
  let first = true;
  answer = () => {
    if (!first) return 200;
    first = false;
    return new Promise<number>(() => undefined);
  };
  await api.setWebhook(url);
  await say('slow');
  // A slow machine may cause more retries.
  await until(() => expect(collectTexts().slice(0, 2)).toEqual(['slow', 'slow']));
  expect(await api.getWebhookInfo()).toMatchObject({ last_error_message: 'Read timeout expired' });
});

test('an update waits while nobody listens at the webhook, and getWebhookInfo says "Connection refused"', async () => {
  await api.setWebhook(url);
  await new Promise((resolve) => receiver.close(resolve));
  await say('nobody there');
  await until(async () =>
    expect(await api.getWebhookInfo()).toMatchObject({
      last_error_message: 'Connection refused',
      pending_update_count: 1,
    }),
  );
});

test('a redirect from the webhook is not followed', async () => {
  let redirects = 1;
  answer = () => (redirects-- > 0 ? 302 : 200);
  await api.setWebhook(url);
  await say('here');
  await untilDelivered(['here', 'here']);
  expect((await api.getWebhookInfo()).last_error_message).toContain('302');
});

test('setting a webhook ends an open poll, and getUpdates is then refused with error 409', async () => {
  const open = api.getUpdates({ timeout: 50 }).catch((error: unknown) => error);
  await client.findCall((call) => call.method === 'getUpdates');
  await api.setWebhook(url);
  expect(await open).toMatchObject({
    error_code: 409,
    description: 'Conflict: terminated by setWebhook request',
  });
  await expect(api.getUpdates()).rejects.toMatchObject({
    error_code: 409,
    description:
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  });
});

test('updates that the webhook refused can be fetched by getUpdates after deleteWebhook', async () => {
  answer = () => 500;
  await api.setWebhook(url);
  await say('still here');
  await until(() => expect(deliveries.length).toBeGreaterThan(0));
  await api.deleteWebhook();
  expect((await api.getUpdates()).map((update) => update.message?.text)).toEqual(['still here']);
  expect(await api.getWebhookInfo()).toEqual({ url: '', has_custom_certificate: false, pending_update_count: 1 });
});

test('setWebhook can drop the pending updates and select the kinds of later updates', async () => {
  await say('dropped');
  await api.setWebhook(url, { drop_pending_updates: true, allowed_updates: ['message'] });
  await say('kept');
  await untilDelivered(['kept']);
  expect(await api.getWebhookInfo()).toMatchObject({ allowed_updates: ['message'], max_connections: 40 });
});

test.each([
  ['at another machine', 'https://example.org/hook', '', /^Bad Request: bad webhook: /],
  ['in this network', 'http://192.168.1.1/hook', '', /^Bad Request: bad webhook: /],
  ['at a name that looks local', 'http://127.0.0.1.example.org/hook', '', /^Bad Request: bad webhook: /],
  ['with a password', 'http://me:secret@127.0.0.1/hook', '', /^Bad Request: bad webhook: /],
  ['that is no URL', 'nonsense', '', /^Bad Request: invalid webhook URL specified$/],
  [
    'with a space in its secret',
    'http://127.0.0.1/',
    'a b',
    /^Bad Request: secret token contains unallowed characters$/,
  ],
  ['with 257 bytes of secret', 'http://127.0.0.1/', 'x'.repeat(257), /^Bad Request: secret token is too long$/],
])('setWebhook refuses a webhook %s', async (_, target, secret_token, description) => {
  await expect(api.setWebhook(target, { secret_token })).rejects.toMatchObject({
    error_code: 400,
    description: expect.stringMatching(description),
  });
  expect(await api.getUpdates()).toEqual([]);
});

test('setting and deleting a webhook twice is accepted', async () => {
  const call = async (path: string): Promise<unknown> =>
    (await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/${path}`, { method: 'POST' })).json();
  const set = `setWebhook?url=${encodeURIComponent(url)}`;
  for (const method of [set, set, 'deleteWebhook', 'deleteWebhook'])
    expect(await call(method)).toEqual({ ok: true, result: true });
});

test('a webhook stays set after a restart of the simulator', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'simulator-'));
  const before = await createSimulator({ dataDir });
  await new Api(DEFAULT_TOKEN, { apiRoot: before.url }).setWebhook(url, { secret_token: 'kept' });
  await before.close();
  const after = await createSimulator({ dataDir });
  await createSimulatorClient(after.url).post('/api/messages', { from: 1001, text: 'after the restart' });
  await untilDelivered(['after the restart']);
  expect(deliveries[0]?.headers['x-telegram-bot-api-secret-token']).toBe('kept');
  await after.close();
  rmSync(dataDir, { recursive: true });
});
