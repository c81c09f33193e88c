import { createApi } from '@signalbox/gateway/channels/telegram/client';
import { ALLOWED_UPDATES } from '@signalbox/gateway/channels/telegram/receive/update';
import { WebhookListener } from '@signalbox/gateway/channels/telegram/receive/webhook';
import { createWebhookServer } from '@signalbox/gateway/channels/telegram/receive/webhook-server';
import { createLog } from '@signalbox/platform/log';
import { DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { openHarness, until, type Harness, type StartedGateway } from '../../integration/gateway/harness.ts';
import { callBotApi, readProblems, readWebhook, SECRET, startWebhookGateway } from './webhook-caller.ts';

let harness: Harness;
beforeEach(async () => void (harness = await openHarness()));
afterEach(() => harness.close());

const untilReady = (started: StartedGateway): Promise<unknown> =>
  until('the gateway is ready', async () => (await readProblems(started)) === 'ready\n', 30_000);
const untilProblem = (started: StartedGateway, words: string): Promise<unknown> =>
  until(`the gateway says "${words}"`, async () => (await readProblems(started)).includes(words), 30_000);
const tells = ({ lines }: StartedGateway, message: string): readonly Record<string, unknown>[] =>
  lines.filter((line) => String(line['message']).startsWith(message));
const inbox = async (): Promise<number> => (await harness.rows('select 1 from inbox')).length;
const speak = (text: string): Promise<unknown> => harness.people.post('/api/messages', { from: 1001, text });
const untilAdmitted = (count: number): Promise<unknown> =>
  until(`${count} messages are admitted`, async () => (await inbox()) === count, 30_000);

describe('with polling and webhook gateways', () => {
  test('a gateway set to poll waits while another uses a webhook, and polls when that one ends', async () => {
    const webhook = await startWebhookGateway(harness);
    const polling = await harness.startGateway();
    await untilProblem(polling, 'receive by webhook, but this one is set up to poll, so it does not listen');
    expect(tells(polling, 'other gateways listen in another way')).toHaveLength(1);
    await speak('by webhook');
    await untilAdmitted(1);
    expect(await harness.calls('getUpdates')).toEqual([]);
    expect(await harness.calls('deleteWebhook')).toEqual([]);
    expect(await readWebhook(harness)).toMatchObject({ url: webhook.url });

    await webhook.close();
    await untilReady(polling);
    expect(await readWebhook(harness)).toMatchObject({ url: '' });
    expect(tells(polling, 'the webhook is removed')).toHaveLength(1);
    await speak('by polling');
    await untilAdmitted(2);
  });

  test('a gateway set to use a webhook waits while another polls, and registers the webhook when that one ends', async () => {
    const polling = await harness.startGateway();
    await untilReady(polling);
    const port = await freePort();
    const webhook = await harness.startGateway({
      TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
      TELEGRAM_WEBHOOK_SECRET: SECRET,
      TELEGRAM_WEBHOOK_PORT: String(port),
    });
    await untilProblem(webhook, 'receive by polling, but this one is set up for a webhook, so it does not listen');
    await speak('by polling');
    await untilAdmitted(1);
    expect(await harness.calls('setWebhook')).toEqual([]);

    await polling.close();
    await untilReady(webhook);
    await speak('by webhook');
    await untilAdmitted(2);
    expect((await harness.calls('getUpdates')).filter((call) => call.status === 409)).toEqual([]);
  });

  test('of two gateways with different modes one receives updates, and the other says why it does not', async () => {
    const port = await freePort();
    const settings = {
      TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
      TELEGRAM_WEBHOOK_SECRET: SECRET,
      TELEGRAM_WEBHOOK_PORT: String(port),
    };
    const started = await Promise.all([harness.startGateway(), harness.startGateway(settings)]);
    await until('they agree', async () => {
      const problems = await Promise.all(started.map(readProblems));
      return problems.includes('ready\n') && problems.some((problem) => problem.includes('does not listen'));
    });
    await speak('hello');
    await untilAdmitted(1);
    const [polled, set] = [await harness.calls('getUpdates'), await harness.calls('setWebhook')];
    expect([polled.length > 0, set.length > 0].filter(Boolean)).toHaveLength(1);
  });

  test('several gateways with a webhook are all ready, and a gateway that polls waits until the last one ends', async () => {
    const first = await startWebhookGateway(harness);
    const second = await startWebhookGateway(harness, { TELEGRAM_WEBHOOK_URL: first.url });
    const polling = await harness.startGateway();
    await untilProblem(polling, 'does not listen');
    await first.close();
    // The second goes on alone, also in what the other has to say about it.
    expect(await readProblems(second)).toBe('ready\n');
    expect(await readProblems(polling)).toContain('does not listen');
    await second.close();
    await untilReady(polling);
  });

  test('a gateway that receives no updates still sends messages', async () => {
    const polling = await harness.startGateway();
    await harness.meet(1001);
    await polling.close();
    await startWebhookGateway(harness);
    const out = await harness.startGateway();
    await untilProblem(out, 'does not listen');
    await harness.say('telegram:1001', [{ text: 'one' }, { text: 'two' }]);
    await until('both are sent', async () => (await harness.said(1001)).length === 2);
  });

  test('a cut connection to Postgres does not remove the webhook', async () => {
    const webhook = await startWebhookGateway(harness);
    for (let n = 1; n <= 5; n += 1) {
      await speak(`message ${n}`);
      await harness.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and application_name = 'signalbox-gateway'`,
      );
    }
    await untilAdmitted(5);
    await untilReady(webhook);
    expect(await readWebhook(harness)).toMatchObject({ url: webhook.url });
  });
});

describe('when another program uses the same bot token', () => {
  test('a webhook set while a gateway polls is reported, and polling continues when the webhook is removed', async () => {
    const polling = await harness.startGateway();
    await untilReady(polling);
    await callBotApi(harness, 'setWebhook', { url: 'http://127.0.0.1:9/foreign/path' });
    await untilProblem(polling, 'Telegram sends the updates of this bot to 127.0.0.1:9, not here');
    expect(await readProblems(polling)).not.toContain('foreign/path');
    expect(tells(polling, 'a webhook was set for this bot')).toHaveLength(1);
    expect(await readWebhook(harness)).toMatchObject({ url: 'http://127.0.0.1:9/foreign/path' });
    await callBotApi(harness, 'deleteWebhook');
    await untilReady(polling);
    await speak('hello');
    await untilAdmitted(1);
  });

  test('the first gateway that polls removes a left-over webhook, even when Telegram fails at first', async () => {
    await callBotApi(harness, 'setWebhook', { url: 'http://127.0.0.1:9/left/behind' });
    await harness.fault({ method: 'deleteWebhook', error: { code: 502 } });
    const polling = await harness.startGateway();
    await untilReady(polling);
    expect(await readWebhook(harness)).toMatchObject({ url: '' });
  });

  test('the gateway sets a removed webhook again, and replaces one at another address only after a restart', async () => {
    const url = `http://127.0.0.1:9/ours`;
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
    const api = createApi({ token: DEFAULT_TOKEN, apiRoot: harness.simulatorUrl, timeoutSeconds: 5 });
    const server = createWebhookServer({
      host: '127.0.0.1',
      port: 0,
      path: '/ours',
      secret: SECRET,
      log,
      drainMs: 100,
      count: () => undefined,
      onUnreadable: async () => undefined,
    });
    const start = () => {
      const target = { url, secret: SECRET, server };
      const started = new WebhookListener({ api, log, admit: async () => undefined, target, checkEveryMs: 20 });
      onTestFinished(() => started.close());
      return started;
    };
    const untilItLooksAgain = async (): Promise<void> => {
      const checks = (await harness.calls('getWebhookInfo')).length;
      await until('it looked again', async () => (await harness.calls('getWebhookInfo')).length > checks + 3);
    };
    const listening = start();
    const urlIs = async (expected: string): Promise<boolean> => (await readWebhook(harness)).url === expected;
    await until('it is registered', () => urlIs(url));
    await until('it is well', async () => listening.problem() === null);

    await callBotApi(harness, 'deleteWebhook');
    await until('it is registered again', () => urlIs(url));
    await callBotApi(harness, 'setWebhook', { url, allowed_updates: ['message'], secret_token: SECRET });
    const allowed = async (): Promise<readonly string[]> => (await readWebhook(harness)).allowed_updates ?? [];
    await until('it asks for all it needs', async () => (await allowed()).length === ALLOWED_UPDATES.length);
    // Also when the other program comes between our call and the question what Telegram sends now.
    await harness.fault({ method: 'getWebhookInfo', delayMs: 300, times: 2 });
    await callBotApi(harness, 'deleteWebhook');
    const before = (await harness.calls('setWebhook')).length;
    await until('it is set again', async () => (await harness.calls('setWebhook')).length > before);
    await callBotApi(harness, 'setWebhook', { url, allowed_updates: ['message'], secret_token: SECRET });
    await until('it asks for all it needs', async () => (await allowed()).length === ALLOWED_UPDATES.length);
    // A newer release beside this one may ask for more.
    const more = [...ALLOWED_UPDATES, 'poll'];
    await callBotApi(harness, 'setWebhook', { url, allowed_updates: more, secret_token: SECRET });
    const set = (await harness.calls('setWebhook')).length;
    await untilItLooksAgain();
    expect(await harness.calls('setWebhook')).toHaveLength(set);

    const elsewhere = 'http://127.0.0.1:9/elsewhere';
    await callBotApi(harness, 'setWebhook', { url: elsewhere });
    await until('it says so', async () => listening.problem()?.includes('not here'));
    await untilItLooksAgain();
    expect(await urlIs(elsewhere)).toBe(true);
    expect(lines.filter((line) => line.includes('Telegram sends updates elsewhere now'))).toHaveLength(1);

    await listening.close();
    const next = start();
    await until('the one that starts last has it', () => urlIs(url));
    await until('it is well', async () => next.problem() === null);
    expect(lines.join()).not.toContain(SECRET);
  });
});

describe('when Telegram', () => {
  test('refuses the webhook address, the gateway says why and keeps trying', async () => {
    const port = await freePort();
    const started = await harness.startGateway({
      TELEGRAM_WEBHOOK_URL: 'https://bot.example.org/path',
      TELEGRAM_WEBHOOK_SECRET: SECRET,
      TELEGRAM_WEBHOOK_PORT: String(port),
    });
    await untilProblem(started, 'Telegram refuses the webhook at bot.example.org: Bad Request: bad webhook');
    await until('it tries again', async () => (await harness.calls('setWebhook')).length > 1);
    expect(tells(started, 'Telegram refuses the webhook')).toHaveLength(1);
  });

  test('answers 429 or is unavailable at the start, the gateway registers the webhook later', async () => {
    await harness.fault({ method: 'setWebhook', error: { code: 429, retryAfter: 1 } });
    await harness.fault({ method: 'getMe', error: { code: 502 } });
    await harness.fault({ method: 'getWebhookInfo', dropConnection: 'before' });
    const started = await startWebhookGateway(harness);
    expect(await readWebhook(harness)).toMatchObject({ url: started.url });
  });

  test('does not know the token, the gateway names a remedy', async () => {
    const port = await freePort();
    const started = await harness.startGateway({
      TELEGRAM_BOT_TOKEN: '100:wrong',
      TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
      TELEGRAM_WEBHOOK_SECRET: SECRET,
      TELEGRAM_WEBHOOK_PORT: String(port),
    });
    await until('it is said', async () => /Put the token that @BotFather shows/.test(await readProblems(started)));
  });
});
