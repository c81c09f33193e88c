import { createWorker } from '@signalbox/worker/worker';
import { loadConfig } from '@signalbox/worker/config';
import { createWiring } from '@signalbox/worker/wire';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { grantUserRole } from '@signalbox/store/people/users';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openIngress, type IngressGateway } from '../ingress/ingress-gateway.ts';
import { SECRET, tell } from '../ingress/program.ts';
import { openReceiver, type Receiver } from '../ingress/receiver.ts';
import type { StartedGateway } from '../integration/gateway/harness.ts';
import { echo } from '../support/echo.ts';
import { createScriptedModels } from '../support/scripted-model.ts';
import { until } from '../support/until.ts';

/*
 * Two channels on one database: people in Telegram and programs at the ingress, each answered by the same worker. A gateway opens one of
 * them, or both.
 */

let receiver: Receiver;
let ingress: IngressGateway;
let parts: Closable[] = [];
/** What the worker logged, a line each. */
let workerLog: string[] = [];

beforeEach(async () => {
  receiver = await openReceiver(SECRET);
  ingress = await openIngress({ ci: { callback: receiver.url } });
  workerLog = [];
  const log = createLog('worker', 'info', { write: (line) => void workerLog.push(line) });
  const config = loadConfig(ingress.harness.wiring.env('worker', { WORKER_NAME: 'worker-1' }));
  const own = <T extends Closable>(part: T): T => (parts.push(part), part);
  await createWorker(own, config, log, {
    ...createWiring(config, log),
    models: () => Promise.resolve(createScriptedModels(echo())),
  });
});
afterEach(async () => {
  await closeAll(parts, createLog('test', 'silent'));
  parts = [];
  await ingress.close();
  await receiver.close();
});

const PEOPLE = Array.from({ length: 12 }, (_, n) => 2001 + n);
const CONVERSATIONS = Array.from({ length: 12 }, (_, n) => `build-${n}`);
const ROUNDS = 8;

/** Everybody writes, round by round, as fast as it is taken; a failed wake-up would wait for the sweeper. */
async function writeAll(): Promise<void> {
  const { people, pool } = ingress.harness;
  for (const id of PEOPLE) {
    await people.post('/api/people', { id, name: `P${id}` });
    await grantUserRole(pool, { userKey: String(id), channel: 'telegram', name: `P${id}`, role: 'viewer' });
  }
  for (let round = 1; round <= ROUNDS; round += 1)
    await Promise.all([
      ...PEOPLE.map((from) => people.post('/api/messages', { from, text: `m${round}` })),
      ...CONVERSATIONS.map((conversation) => tell(ingress.ci, { text: `${conversation} e${round}`, conversation })),
    ]);
}

const EXPECTED = Array.from({ length: ROUNDS }, (_, n) => `echo m${n + 1}`);

async function heardInTelegram(): Promise<readonly (readonly string[])[]> {
  return Promise.all(PEOPLE.map((id) => ingress.harness.said(id)));
}

/** What the program acted on, conversation by conversation. What answers several events comes for each, under an id of its own. */
function heardByProgram(): readonly (readonly string[])[] {
  return CONVERSATIONS.map((name) => {
    const heard = receiver.taken().filter(({ conversation }) => conversation === name);
    return [...new Map(heard.map(({ message }) => [message.id.split('.')[0], message.text])).values()];
  });
}

const untilAllAreAnswered = (heard: () => Promise<readonly (readonly string[])[]> | readonly (readonly string[])[]) =>
  until(async () => (await heard()).every((texts) => texts.length >= ROUNDS), 120_000);

/** How many chats the sweepers of these gateways had to wake. */
async function swept(gateways: readonly StartedGateway[]): Promise<number> {
  let sum = 0;
  for (const { gateway } of gateways) {
    const metrics = await (await fetch(`http://127.0.0.1:${gateway.probe.port}/metrics`)).text();
    sum += Number(/^signalbox_swept_chats_total\{.*\} (\d+)/m.exec(metrics)?.[1] ?? Number.NaN);
  }
  return sum;
}

it('two gateways with one channel each answer everybody once and in order, without waiting for a sweep', async () => {
  const telegram = await ingress.harness.startGateway();
  await writeAll();
  await untilAllAreAnswered(heardInTelegram);
  await untilAllAreAnswered(heardByProgram);
  expect(await heardInTelegram()).toEqual(PEOPLE.map(() => EXPECTED));
  expect(heardByProgram()).toEqual(
    CONVERSATIONS.map((name) => Array.from({ length: ROUNDS }, (_, n) => `echo ${name} e${n + 1}`)),
  );
  const byEvent = receiver.taken().map(({ event, message }) => `${event} ${message.text}`);
  expect(byEvent).toEqual([...new Set(byEvent)]);
  expect(await swept([telegram, ingress.gateway])).toBe(0);
  expect(workerLog.filter((line) => line.includes('lanes woken by the sweeper'))).toEqual([]);
  const left = await ingress.harness.rows(`select 1 from outbox where status <> 'sent'`);
  expect(left).toEqual([]);
});

it.each([
  ['in a gateway of its own', {}],
  ['in the same gateway', { GATEWAY_CHANNELS: 'telegram,ingress' }],
])(
  'an outage of Telegram (%s) delays no program, and no message is lost when Telegram is back',
  async (_, settings) => {
    const file = { GATEWAY_HTTP_PORT: '0', ...settings };
    const telegram =
      'GATEWAY_CHANNELS' in settings
        ? await ingress.startAnother(file).then(async ({ gateway }) => (await ingress.gateway.close(), gateway))
        : await ingress.harness.startGateway();
    if ('GATEWAY_CHANNELS' in settings)
      ingress = { ...ingress, ci: { ...ingress.ci, url: `http://127.0.0.1:${telegram.gateway.httpPort}` } };
    await ingress.harness.fault({ method: 'sendMessage', dropConnection: 'before', times: 100_000 });
    await writeAll();
    await untilAllAreAnswered(heardByProgram);
    expect(heardByProgram().map((texts) => texts.length)).toEqual(CONVERSATIONS.map(() => ROUNDS));
    expect((await heardInTelegram()).flat()).toEqual([]);

    await fetch(`${ingress.harness.simulatorUrl}/api/faults`, { method: 'DELETE' });
    await untilAllAreAnswered(heardInTelegram);
    const known = (texts: readonly string[]): readonly string[] =>
      texts.map((text) => text.replace(/^\(repeated.*\)\n/, ''));
    expect((await heardInTelegram()).map(known)).toEqual(PEOPLE.map(() => EXPECTED));
  },
);
