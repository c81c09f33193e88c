import { createServer, request as call, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { grantUserRole } from '@signalbox/store/people/users';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { startService, type ServiceProcess } from '../../support/service-process.ts';
import { openHarness, until, type Harness } from '../../integration/gateway/harness.ts';
import { readWebhook, SECRET, startWebhookGateway } from './webhook-caller.ts';

let harness: Harness;
beforeEach(async () => void (harness = await openHarness()));
afterEach(() => harness.close());

const PEOPLE = [1001, 1002, 1003, 1004, 1005];
const MESSAGES = 60;
/** Processes are started and hundreds of messages sent, which a busy machine takes long for. */
const TIMEOUT_MS = 240_000;
const TOTAL = PEOPLE.length * MESSAGES;

/** Every second message is a command, which the gateway answers by itself. */
const textOf = (n: number): string => (n % 2 === 0 ? `message ${n}` : '/whoami');

/** A reverse proxy as people put it in front: requests go to its targets in turn, and 502 when one is not there. */
async function startProxy(targets: readonly number[]): Promise<{ readonly port: number; readonly served: number[] }> {
  const served = targets.map(() => 0);
  let turn = 0;
  const server: Server = createServer((incoming, outgoing) => {
    const place = turn++ % targets.length;
    const { method, url: path, headers } = incoming;
    const passed = call({ host: '127.0.0.1', port: targets[place], method, path, headers }, (answer) => {
      if (answer.statusCode === 200) served[place] = (served[place] ?? 0) + 1;
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, served }; // it listens on TCP
}

async function speak(): Promise<void> {
  for (const id of PEOPLE) {
    await grantUserRole(harness.pool, { userKey: String(id), channel: 'telegram', name: `P${id}`, role: 'developer' });
  }
  const one = async (from: number): Promise<void> => {
    for (let n = 0; n < MESSAGES; n += 1) await harness.people.post('/api/messages', { from, text: textOf(n) });
  };
  await Promise.all(PEOPLE.map(one));
}

const count = async (table: 'inbox' | 'outbox'): Promise<number> =>
  (await harness.rows(`select 1 from ${table}`)).length;

/** Each message once and in its order, each command answered by one row, and nothing left at Telegram. */
async function expectNothingLostOrDoubled(): Promise<void> {
  await until('everything is admitted', async () => (await count('inbox')) >= TOTAL, 60_000);
  await until('nothing waits at Telegram', async () => (await readWebhook(harness)).pending_update_count === 0);
  await until(
    'everything is delivered',
    async () => (await harness.rows(`select 1 from outbox where status <> 'sent'`)).length === 0,
    60_000,
  );
  const expected = Array.from({ length: MESSAGES }, (_, n) => textOf(n));
  for (const id of PEOPLE) {
    const rows = await harness.rows<{ text: string }>(
      `select envelope ->> 'text' as text from inbox where user_key = $1 order by id`,
      [String(id)],
    );
    expect(rows.map((row) => row.text)).toEqual(expected);
  }
  expect(await count('inbox')).toBe(TOTAL);
  expect(await count('outbox')).toBe(TOTAL / 2);
}

const shared = (proxyPort: number, port: number): Readonly<Record<string, string>> => ({
  TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${proxyPort}/telegram`,
  TELEGRAM_WEBHOOK_SECRET: SECRET,
  TELEGRAM_WEBHOOK_PORT: String(port),
  TELEGRAM_CHAT_BURST: '100',
  TELEGRAM_CHAT_SENDS_PER_SECOND: '500',
  TELEGRAM_SENDS_PER_SECOND: '500',
});

/** A gateway in a process of its own, behind the proxy. */
async function startProcess(name: string, proxyPort: number, port: number): Promise<ServiceProcess> {
  const settings = { GATEWAY_CHANNELS: 'telegram', GATEWAY_NAME: name, ...shared(proxyPort, port) };
  const process = await startService('gateway', name, harness.wiring.env('gateway', settings));
  onTestFinished(() => process.kill());
  return process;
}

test(
  'two gateways behind one webhook store every update once when one of them stops and comes back',
  async () => {
    const ports = [await freePort(), await freePort()] as const;
    const proxy = await startProxy(ports);
    const stopped = await startProcess('gateway-stopped', proxy.port, ports[0]);
    await startWebhookGateway(harness, shared(proxy.port, ports[1]));
    const speaking = speak();
    await until('they are in the middle of it', async () => (await count('inbox')) > TOTAL / 4, 60_000);
    expect(await stopped.stop()).toBe(0);
    const before = [...proxy.served];
    await until('the other goes on', async () => (await count('inbox')) > TOTAL / 2, 60_000);
    await stopped.start();
    await speaking;
    await expectNothingLostOrDoubled();
    expect(before.every((served) => served > 0)).toBe(true);
    for (const id of PEOPLE) expect(await harness.said(id)).toHaveLength(MESSAGES / 2);
  },
  TIMEOUT_MS,
);

test(
  'two gateways behind one webhook store every update once when one of them is killed',
  async () => {
    const ports = [await freePort(), await freePort()] as const;
    const proxy = await startProxy(ports);
    const killed = await startProcess('gateway-killed', proxy.port, ports[0]);
    await startWebhookGateway(harness, shared(proxy.port, ports[1]));
    const speaking = speak();
    await until('they are in the middle of it', async () => (await count('inbox')) > TOTAL / 4, 60_000);
    await killed.kill();
    expect(proxy.served.every((served) => served > 0)).toBe(true);
    await speaking;
    await expectNothingLostOrDoubled();
    // A message that was being sent when it died may come again, and says so.
    for (const id of PEOPLE) {
      const said = await harness.said(id);
      const repeated = said.filter((text) => text.startsWith('(repeated'));
      expect(repeated.length).toBeLessThanOrEqual(1);
      expect([MESSAGES / 2, MESSAGES / 2 + 1]).toContain(said.length);
    }
  },
  TIMEOUT_MS,
);
