import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import { createApi } from '@signalbox/gateway/channels/telegram/client';
import { Polling } from '@signalbox/gateway/channels/telegram/receive/poll';
import { DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { createLanguageCache } from '@signalbox/gateway/admission/language-cache';
import { createUpdateAdmitter } from '@signalbox/gateway/admission/admit';
import { createNotifier } from '@signalbox/gateway/admission/notify';
import { createRateLimit } from '@signalbox/gateway/admission/rate-limit';
import { createGatewayMetrics } from '@signalbox/gateway/metrics';
import { createLog } from '@signalbox/platform/log';
import { NO_TRACING } from '@signalbox/platform/tracing/tracing';
import { createMetrics } from '@signalbox/platform/probe';
import { createSecretCipher } from '@signalbox/safety/secrets/cipher';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { shippedPolicy } from '../support/governance.ts';
import { startOwnRedis } from '../support/redis.ts';
import {
  INBOUND_TOPIC,
  openHarness,
  until,
  type Harness,
  type StartedGateway,
} from '../integration/gateway/harness.ts';
import { sampleChallenges } from '../support/samples.ts';

let harness: Harness;

const open = async (redisUrl?: string): Promise<Harness> => (harness = await openHarness(redisUrl));
afterEach(() => harness.close());

const problemsOf = async ({ gateway }: StartedGateway): Promise<string> =>
  (await fetch(`http://127.0.0.1:${gateway.probe.port}/readyz`)).text();
const untilReady = (started: StartedGateway): Promise<unknown> =>
  until('the gateway is ready', async () => (await problemsOf(started)) === 'ready\n', 30_000);
const openRows = async (): Promise<number> =>
  (await harness.rows(`select 1 from outbox where status in ('pending', 'sending')`)).length;

describe('with a Redis that is away', () => {
  test('updates are stored and commands answered, and the conversation continues once Redis is back', async () => {
    const redis = await startOwnRedis();
    onTestFinished(() => redis.stop());
    await open(redis.url);
    const started = await harness.startGateway();
    await untilReady(started);
    await redis.kill();
    await until('the gateway notices', async () => (await problemsOf(started)).includes('Redis'));
    await harness.people.post('/api/messages', { from: 1001, text: 'while you were away' });
    await harness.people.post('/api/messages', { from: 1001, text: '/whoami' });
    await until('she is answered', async () => (await harness.said(1001)).length === 1);
    expect(await harness.rows('select outcome from inbox order by id')).toEqual([
      { outcome: null },
      { outcome: 'answered' },
    ]);
    await redis.restart({ empty: true });
    await untilReady(started);
    await harness.people.post('/api/messages', { from: 1001, text: 'welcome back' });
    await until('a wake-up is on the stream', async () => (await harness.entries(INBOUND_TOPIC)).length === 1);
    await harness.say('telegram:1001', [{ text: 'delivered again' }]);
    await until(
      'the stream delivers again',
      async () => (await harness.said(1001)).includes('delivered again'),
      20_000,
    );
  });

  test('a Redis that may evict keys is refused', async () => {
    const redis = await startOwnRedis();
    onTestFinished(() => redis.stop());
    await open(redis.url);
    await harness.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(harness.startGateway()).rejects.toThrow('maxmemory-policy allkeys-lru');
  });
});

describe('with several gateways', () => {
  beforeEach(() => open());

  test('two gateways deliver every message once, in the order of each chat', async () => {
    await harness.startGateway();
    await harness.meet(1001, 1002, 1005);
    await harness.startGateway();
    const chats = [1001, 1002, 1005];
    const expected = Array.from({ length: 25 }, (_, n) => `message ${n}`);
    for (const text of expected) {
      await Promise.all(chats.map((chat) => harness.say(`telegram:${chat}`, [{ text }])));
    }
    await until('everything is sent', async () => (await openRows()) === 0, 30_000);
    for (const chat of chats) expect(await harness.said(chat)).toEqual(expected);
  });

  test('one gateway receives the updates, and another takes over when it goes', async () => {
    const first = await harness.startGateway();
    await untilReady(first);
    const second = await harness.startGateway();
    await until('the second stands by', async () =>
      second.lines.some((line) => String(line['message']).startsWith('another gateway listens')),
    );
    await untilReady(second);
    await harness.people.post('/api/messages', { from: 1001, text: 'to the first' });
    await until('it is admitted', async () => (await harness.rows('select 1 from inbox')).length === 1);
    await first.close();
    await harness.people.post('/api/messages', { from: 1001, text: 'to the second' });
    await until('it is admitted', async () => (await harness.rows('select 1 from inbox')).length === 2);
    expect((await harness.calls('getUpdates')).filter((call) => call.status === 409)).toEqual([]);
  });

  test('another program that polls the same bot is reported once, and polling resumes afterwards', async () => {
    const started = await harness.startGateway();
    await untilReady(started);
    await fetch(`${harness.simulatorUrl}/bot${DEFAULT_TOKEN}/getUpdates?timeout=0`, { method: 'POST' });
    await until('it notices', async () => (await problemsOf(started)).includes('another process polls this bot'));
    await untilReady(started);
    const told = started.lines.filter((line) => String(line['message']).startsWith('another process polls this bot'));
    expect(told).toHaveLength(1);
  });

  test('a gateway that is killed while sending is replaced, and only the message in progress is marked as repeated', async () => {
    const first = await harness.startGateway();
    await harness.meet(1001);
    await first.close();
    await harness.fault({ method: 'sendMessage', delayMs: 60_000 });
    const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', MAIN], {
      stdio: 'ignore',
      env: harness.wiring.env('gateway', { GATEWAY_CHANNELS: 'telegram', GATEWAY_NAME: 'gateway-killed' }),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await harness.say('telegram:1001', [{ text: 'one' }, { text: 'two' }]);
    await until('it is sending', async () => (await harness.calls('sendMessage')).length === 1, 30_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await harness.startGateway();
    await until('everything is sent', async () => (await openRows()) === 0, 30_000);
    // The simulator, as Telegram, took the message although nobody waited for its answer any more.
    expect(await harness.said(1001)).toEqual([
      'one',
      '(repeated, because I could not see whether this arrived)\none',
      'two',
    ]);
  });

  test('a gateway that stops finishes its current send and leaves the other messages for another gateway', async () => {
    const first = await harness.startGateway();
    await harness.meet(1001);
    // Longer than a busy machine takes until the order to stop, and shorter than a gateway waits for a send.
    await harness.fault({ method: 'sendMessage', delayMs: 4_000 });
    await harness.say('telegram:1001', [{ text: 'one' }, { text: 'two' }]);
    await until('it is sending', async () => (await harness.calls('sendMessage')).length === 1);
    await first.close();
    expect(await harness.rows('select status from outbox order by id')).toEqual([
      { status: 'sent' },
      { status: 'pending' },
    ]);
    await harness.startGateway();
    await until('everything is sent', async () => (await openRows()) === 0);
    expect(await harness.said(1001)).toEqual(['one', 'two']);
  });
});

describe('with one gateway', () => {
  beforeEach(() => open());

  test('an update that Telegram sends again after a kill between commit and acknowledgement is dropped', async () => {
    const log = createLog('test', 'silent');
    const channel = createTelegram({
      token: DEFAULT_TOKEN,
      apiRoot: harness.simulatorUrl,
      log,
      webhook: null,
      loadFile: async () => null,
    });
    const { pool, redis, prefix } = harness;
    const publisher = createPublisher({ redis, prefix, partitions: 1 });
    const notifier = createNotifier({ publisher, redis, prefix, log, deliverHere: () => undefined });
    const rateLimit = createRateLimit({ redis, prefix, maxPerWindow: 20, log });
    const metrics = createGatewayMetrics(createMetrics('test'));
    const cipher = createSecretCipher(randomBytes(32));
    const engine = await shippedPolicy();
    const policy = (): typeof engine => engine;
    const onPeopleChanged = (): void => undefined;
    const languages = createLanguageCache(pool);
    const people = {
      languages,
      onPeopleChanged,
      voiceLimitBytes: null,
      tracing: NO_TRACING,
      challenges: sampleChallenges,
    };
    const admit = createUpdateAdmitter({ pool, channel, cipher, policy, rateLimit, notifier, log, metrics, ...people });
    const seen: number[] = [];
    for (const text of ['one', '/whoami', 'two']) await harness.people.post('/api/messages', { from: 1001, text });
    const listening = channel.listen(async (updates) => {
      await admit(updates);
      seen.push(updates.length);
      if (seen.length === 1) throw new Error('killed after the commit');
    });
    onTestFinished(() => listening.close());
    await until('the updates came again', async () => seen.length >= 2);
    expect(seen[1]).toBeGreaterThanOrEqual(seen[0] ?? 0);
    const texts = await harness.rows<{ text: string }>(`select envelope ->> 'text' as text from inbox order by id`);
    expect(texts.map((row) => row.text)).toEqual(['one', '/whoami', 'two']);
    expect(await harness.rows('select 1 from outbox')).toHaveLength(1);
  });

  test('a lost connection to Postgres loses no message', async () => {
    const started = await harness.startGateway();
    await harness.meet(1001);
    await untilReady(started);
    const cut = (): Promise<unknown> =>
      harness.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and application_name = 'signalbox-gateway'`,
      );
    for (let n = 0; n < 12; n += 1) {
      await harness.people.post('/api/messages', { from: 1001, text: `in ${n}` });
      await harness.say('telegram:1001', [{ text: `out ${n}` }]);
      await cut();
    }
    const expected = Array.from({ length: 12 }, (_, n) => n);
    await until(
      'everything is admitted',
      async () => (await harness.rows('select 1 from inbox')).length === 13,
      30_000,
    );
    await until('everything is sent', async () => (await openRows()) === 0, 40_000);
    const texts = await harness.rows<{ text: string }>(`select envelope ->> 'text' as text from inbox order by id`);
    expect(texts.map((row) => row.text)).toEqual(['hi', ...expected.map((n) => `in ${n}`)]);
    const said = (await harness.said(1001)).map((text) => text.replace(/^\(repeated.*\n/, ''));
    expect([...new Set(said)]).toEqual(expected.map((n) => `out ${n}`));
  });

  test('a poll that hangs is aborted, and the next poll brings the updates', async () => {
    const log = createLog('test', 'silent');
    const api = createApi({ token: DEFAULT_TOKEN, apiRoot: harness.simulatorUrl, timeoutSeconds: 1 });
    await harness.fault({ method: 'getUpdates', delayMs: 60_000 });
    await harness.people.post('/api/messages', { from: 1001, text: 'hello' });
    const admitted: unknown[] = [];
    const listening = new Polling({ api, log, admit: async (updates) => void admitted.push(...updates) });
    onTestFinished(() => listening.close());
    await until('the update came', async () => admitted.length === 1);
  });

  test('a wrong bot token leaves the gateway not ready, with a remedy', async () => {
    const { gateway } = await harness.startGateway({ TELEGRAM_BOT_TOKEN: '100:wrong' });
    const ask = async () => fetch(`http://127.0.0.1:${gateway.probe.port}/readyz`);
    await until('it says why', async () => /Put the token that @BotFather shows/.test(await (await ask()).text()));
    expect((await ask()).status).toBe(503);
  });

  test('an incoming update and the message that answers it have the same trace id', async () => {
    const { lines } = await harness.startGateway();
    await harness.people.post('/api/messages', { from: 1001, text: '/help' });
    const sent = await until('the answer is sent', async () =>
      lines.find((line) => line['message'] === 'message sent'),
    );
    const admitted = lines.find((line) => line['message'] === 'update admitted');
    expect(admitted?.['traceId']).toMatch(/^trace_[0-9a-f]{32}$/);
    expect(sent['traceId']).toBe(admitted?.['traceId']);
  });
});

const MAIN = fileURLToPath(new URL('../../services/gateway/src/main.ts', import.meta.url));
