import { ALLOWED_UPDATES } from '@signalbox/gateway/channels/telegram/receive/update';
import { createWebhookServer } from '@signalbox/gateway/channels/telegram/receive/webhook-server';
import { createLog } from '@signalbox/platform/log';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { openStack } from '../../support/stack.ts';
import { openTcpRelay } from '../../support/tcp-relay.ts';
import { INBOUND_TOPIC, openHarness, until, type Harness } from '../../integration/gateway/harness.ts';
import {
  bring,
  createUpdate,
  readProblems,
  readWebhook,
  SECRET,
  sendRaw,
  startWebhookGateway,
} from './webhook-caller.ts';

let harness: Harness;
beforeEach(async () => void (harness = await openHarness()));
afterEach(() => harness.close());

const texts = async (): Promise<readonly string[]> =>
  (await harness.rows<{ text: string }>(`select envelope ->> 'text' as text from inbox order by id`)).map(
    (row) => row.text,
  );
const deadLetters = (): Promise<readonly { reason: string; raw: string }[]> =>
  harness.rows(`select reason, body ->> 'raw' as raw from dead_letters order by created_at`);

/** Lets nothing into the inbox until the returned function is called. */
async function blockInbox(): Promise<() => Promise<void>> {
  const client = await harness.pool.connect();
  await client.query('begin');
  await client.query('lock table inbox in access exclusive mode');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}
const untilBlocked = (): Promise<unknown> =>
  until('an admission waits', async () => {
    const waiting = await harness.rows(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%inbox_admit%'`,
    );
    return waiting.length > 0;
  });

describe('an update by webhook', () => {
  test('becomes an inbox row and wakes the worker, and a command is answered without polling', async () => {
    const { url } = await startWebhookGateway(harness);
    await harness.people.post('/api/messages', { from: 1001, text: 'what is running?' });
    await harness.people.post('/api/messages', { from: 1001, text: '/whoami' });
    await until('she is answered', async () => (await harness.said(1001)).length === 1);
    expect(await texts()).toEqual(['what is running?', '/whoami']);
    expect(await harness.entries(INBOUND_TOPIC)).toMatchObject([{ userKey: '1001' }]);
    expect(await harness.calls('getUpdates')).toEqual([]);
    expect(await readWebhook(harness)).toMatchObject({
      url,
      max_connections: 40,
      allowed_updates: ALLOWED_UPDATES,
    });
    await until('nothing waits there', async () => (await readWebhook(harness)).pending_update_count === 0);
  });

  test('keeps the order in which its person wrote', async () => {
    await startWebhookGateway(harness);
    const said = Array.from({ length: 60 }, (_, n) => `message ${n}`);
    for (const text of said) await harness.people.post('/api/messages', { from: 1001, text });
    await until('all are admitted', async () => (await texts()).length === 60);
    expect(await texts()).toEqual(said);
  });

  test('is acknowledged only after its row is committed', async () => {
    const { url } = await startWebhookGateway(harness);
    const release = await blockInbox();
    let answered = false;
    const answer = bring(url, createUpdate(10, 1001, 'hello')).finally(() => (answered = true));
    await untilBlocked();
    expect(answered).toBe(false);
    await release();
    expect((await answer).status).toBe(200);
    expect(await texts()).toEqual(['hello']);
  });

  test('that is delivered twice is stored once', async () => {
    const { url } = await startWebhookGateway(harness);
    const update = createUpdate(10, 1001, '/whoami');
    const answers = await Promise.all([bring(url, update), bring(url, update), bring(url, update)]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    await bring(url, update);
    expect(await texts()).toEqual(['/whoami']);
    expect(await harness.rows('select 1 from outbox')).toHaveLength(1);
  });

  test('that is not JSON is stored as one dead letter, and acknowledged so that Telegram does not repeat it', async () => {
    const started = await startWebhookGateway(harness);
    const broken = '{"update_id": 7, "message": {"text": "half of';
    expect((await bring(started.url, broken)).status).toBe(200);
    expect((await bring(started.url, broken)).status).toBe(200);
    expect((await bring(started.url, '')).status).toBe(200);
    expect(await deadLetters()).toEqual([
      { reason: 'not JSON', raw: broken },
      { reason: 'not JSON', raw: '' },
    ]);
    // A bot that is confused by one body must still take the next.
    expect((await bring(started.url, createUpdate(11, 1001, 'still here'))).status).toBe(200);
    expect(await texts()).toEqual(['still here']);
    const metrics = await (await fetch(`http://127.0.0.1:${started.gateway.probe.port}/metrics`)).text();
    expect(metrics).toContain('signalbox_webhook_requests_total{result="unreadable",service="gateway"} 3');
    expect(metrics).toContain('signalbox_webhook_requests_total{result="admitted",service="gateway"} 1');
  });

  test.each(['[]', '7', 'null', '"text"', '{}', '{"update_id":"x"}', '{"update_id":5,"__proto__":{"message":1}}'])(
    'with the body %s is acknowledged and ignored',
    async (body) => {
      const { url } = await startWebhookGateway(harness);
      expect((await bring(url, body)).status).toBe(200);
      expect(await harness.rows('select 1 from inbox')).toEqual([]);
      expect(await deadLetters()).toEqual([]);
    },
  );
});

test('a conversation with questions and answers runs over a webhook', async () => {
  const port = await freePort();
  const stack = await openStack({
    env: {
      TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${port}/telegram`,
      TELEGRAM_WEBHOOK_SECRET: SECRET,
      TELEGRAM_WEBHOOK_PORT: String(port),
    },
  });
  onTestFinished(() => stack.close());
  const person = await stack.person(1002, 'developer');
  expect((await person.ask('create a project called shop')).join()).toMatch(/what .*for|about/i);
  expect((await person.ask('an online shop for tea')).join()).toContain('shop');
  const { rows } = await stack.pool.query(`select name from projects`);
  expect(rows).toEqual([{ name: 'shop' }]);
});

test('updates during an outage of Postgres are refused with a retry time, and later stored once', async () => {
  const relay = await openTcpRelay(Number(new URL(harness.wiring.databaseUrl('gateway')).port));
  onTestFinished(() => relay.close());
  const through = new URL(harness.wiring.databaseUrl('gateway'));
  through.port = String(relay.port);
  const { url } = await startWebhookGateway(harness, { DATABASE_URL: through.href });
  await harness.people.post('/api/messages', { from: 1001, text: 'before' });
  await until('it is admitted', async () => (await texts()).length === 1);
  relay.cut();
  const refused = await bring(url, createUpdate(900, 1002, 'while it is away'));
  expect(refused.status).toBe(503);
  // Three seconds for what could not be stored, one when the gateway has noticed that Postgres is gone.
  expect(['1', '3']).toContain(refused.headers.get('retry-after'));
  for (const text of ['one', 'two', 'three']) await harness.people.post('/api/messages', { from: 1001, text });
  await until('Telegram notices', async () => /503/.test((await readWebhook(harness)).last_error_message ?? ''));
  expect(await texts()).toEqual(['before']);
  relay.mend();
  await until('Telegram has brought them again', async () => (await texts()).length === 4, 30_000);
  expect(await texts()).toEqual(['before', 'one', 'two', 'three']);
});

test('a body that is not JSON is refused during an outage of Postgres, and stored when Telegram repeats it', async () => {
  const relay = await openTcpRelay(Number(new URL(harness.wiring.databaseUrl('gateway')).port));
  onTestFinished(() => relay.close());
  const through = new URL(harness.wiring.databaseUrl('gateway'));
  through.port = String(relay.port);
  const { url } = await startWebhookGateway(harness, { DATABASE_URL: through.href });
  relay.cut();
  expect((await bring(url, 'no json')).status).toBe(503);
  relay.mend();
  await until('it is kept', async () => (await bring(url, 'no json')).status === 200, 30_000);
  expect(await deadLetters()).toEqual([{ reason: 'not JSON', raw: 'no json' }]);
});

test('a gateway that stops stores the update it is working on, and keeps the webhook', async () => {
  const started = await startWebhookGateway(harness);
  const release = await blockInbox();
  const answer = bring(started.url, createUpdate(10, 1001, 'just in time'));
  await untilBlocked();
  const closing = started.close();
  await until('it takes no more connections', async () => (await sendRaw(started.port, 'x')).sentBytes === 0);
  await release();
  expect((await answer).status).toBe(200);
  await closing;
  expect(await texts()).toEqual(['just in time']);
  expect(await readWebhook(harness)).toMatchObject({ url: started.url });
  // What is written now waits at Telegram for the next one.
  await harness.people.post('/api/messages', { from: 1001, text: 'to the next one' });
  await startWebhookGateway(harness, { TELEGRAM_WEBHOOK_PORT: String(started.port) });
  await until('it came', async () => (await texts()).length === 2);
  expect(await texts()).toEqual(['just in time', 'to the next one']);
});

test('a gateway that stops does not wait forever for an update that hangs', async () => {
  const started = await startWebhookGateway(harness);
  const release = await blockInbox();
  const answer = bring(started.url, createUpdate(10, 1001, 'stuck')).catch(() => null);
  await untilBlocked();
  const closing = started.close();
  expect(await answer).toBeNull();
  await release();
  await closing;
});

test('a gateway whose webhook port is taken does not start', async () => {
  const first = await startWebhookGateway(harness);
  await expect(startWebhookGateway(harness, { TELEGRAM_WEBHOOK_PORT: String(first.port) })).rejects.toThrow(
    'EADDRINUSE',
  );
  expect(await readProblems(first)).toBe('ready\n');
});

test('a request with a slow body is ended at the deadline, and its connection is freed', async () => {
  const counted: string[] = [];
  const server = createWebhookServer({
    host: '127.0.0.1',
    port: 0,
    path: '/here',
    secret: SECRET,
    log: createLog('test', 'silent'),
    drainMs: 100,
    requestMs: 300,
    count: (result) => counted.push(result),
    onUnreadable: async () => undefined,
  });
  const door = await server.open();
  onTestFinished(() => door.close());
  const head = `POST /here HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Telegram-Bot-Api-Secret-Token: ${SECRET}\r\n`;
  expect((await sendRaw(door.port, `${head}Content-Length: 100\r\n\r\n{"update_id":`)).status).toBe(408);
  expect((await sendRaw(door.port, 'POST /here HTTP/1.1\r\nHost: x\r\n')).status).toBe(408);
  expect(counted).toEqual(['too-slow', 'too-slow']);
});
