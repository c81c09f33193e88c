import { randomBytes, randomUUID } from 'node:crypto';
import { createPublicServer } from '@signalbox/gateway/channels/http/public-server';
import { registerSources } from '@signalbox/gateway/channels/ingress/accounts';
import { createIngress } from '@signalbox/gateway/channels/ingress/channel';
import type { IngressSource } from '@signalbox/gateway/channels/ingress/sources';
import { sleep } from '@signalbox/contracts/time';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { openPool } from '@signalbox/store/pool';
import { inject } from 'vitest';
import { headersOf, SECRET } from '../../../ingress/program.ts';
import { openReceiver, type Behavior, type Receiver } from '../../../ingress/receiver.ts';
import { createDatabase } from '../../../support/database.ts';
import type { BenchKind } from '../bench.ts';

const RETRY_MS = 20;

/** Programs over HTTP: one that keeps what it has to say until it was taken, in order, and that acts on what is posted to it. */
export default {
  channel: 'ingress',
  lacks: {
    edits: 'a program that has more to say sends another event',
    'answers to presses': 'nothing spins at a program',
    'removal of buttons': 'a program knows which button it has pressed',
    removal: 'what a program was sent it has acted on',
    'files of people': 'events are words',
    'files for people': 'a program is told the names of files, and people get them',
    links: 'there is nothing to open',
    blocks: 'a callback refuses single messages, and one without a callback is written to by nobody',
    moves: 'a new address is in the file of sources',
  },
  open: async () => {
    const log = createLog('test', 'silent');
    const database = await createDatabase();
    const pool = openPool(database.url, log, { name: 'test', max: 4, as: 'gateway' });
    const redis = openRedis(inject('redisUrl'), log);
    const prefix = `in${randomBytes(4).toString('hex')}:`;
    const receiver = await openReceiver(SECRET);
    const account = { kind: 'service', name: 'CI', role: 'developer' } as const;
    const source: IngressSource = { name: 'ci', secrets: [SECRET], account, callbacks: [receiver.url] };
    await registerSources(pool, [source], log);

    const start = async () => {
      const channel = createIngress({
        sources: { programs: [source], alarms: [], forges: [] },
        wakeLanes: () => Promise.resolve(),
        githubApi: 'https://api.github.com',
        verifyToken: () => Promise.resolve(null),
        pool,
        redis,
        prefix,
        log,
        maxEvents: 10_000,
      });
      const metrics = { requests: { add: () => undefined } };
      const server = createPublicServer({ host: '127.0.0.1', port: 0, log, metrics });
      await channel.register(server.app());
      const listening = await server.open();
      const close = async (): Promise<void> => {
        await listening?.close();
        await channel.close();
      };
      return { channel, url: `http://127.0.0.1:${listening?.port}/webhook/ingress`, close };
    };
    let running = await start();
    const program = createProgram(() => running.url);
    /** What the receiver does with the next message; then it is well again. */
    const once = async (how: Behavior): Promise<void> =>
      receiver.answer((...one) => {
        receiver.answer(() => 200);
        return how(...one);
      });

    return {
      channel: running.channel,
      userKey: 'ingress-ci',
      chatKey: 'ingress:ci/builds',
      say: async (text) => program.keep({ text, conversation: 'builds' }),
      seen: async () => messagesOf(receiver).map(showMessage),
      press: async (label) => {
        const offers = messagesOf(receiver).flatMap(({ id, buttons }) =>
          buttons.filter((button) => button.label === label).map(({ index }) => ({ message: id, index })),
        );
        if (offers.length !== 1) throw new Error(`${offers.length} buttons say ${label}`);
        program.keep({ press: offers[0] });
      },
      redeliver: () => program.redeliver(),
      reopen: async () => {
        await running.close();
        running = await start();
        return running.channel;
      },
      makeWait: (ms) => once(() => ({ status: 429, headers: { 'retry-after': String(Math.ceil(ms / 1_000)) } })),
      loseAnswer: () => once(() => 'hang up'),
      breakDown: () => once(() => 500),
      refuse: () => once(() => 422),
      answerNonsense: () => once(() => ({ status: 502, headers: { 'content-type': 'text/html' } })),
      disconnect: () => receiver.stop(),
      close: async () => {
        await program.close();
        await running.close();
        await receiver.close();
        await closeRedis(redis);
        await pool.end();
        await database.drop();
      },
    };
  },
} satisfies BenchKind;

/** A program that sends its events one after the other, each until it was taken. */
function createProgram(url: () => string) {
  const stop = new AbortController();
  let last: RequestInit | null = null;
  let sending: Promise<void> = Promise.resolve();
  const send = async (request: RequestInit): Promise<void> => {
    for (;;) {
      const response = await fetch(url(), request).catch(() => null);
      if (response?.status === 200 || stop.signal.aborted) return;
      await sleep(RETRY_MS, stop.signal);
    }
  };
  return {
    keep: (event: object): void => {
      const body = JSON.stringify({ ...event, id: randomUUID() });
      const headers = { 'content-type': 'application/json', ...headersOf({ source: 'ci', secret: SECRET }, body) };
      const request = { method: 'POST', headers, body };
      last = request;
      sending = sending.then(() => send(request));
    },
    /** Sends the last event once more, bit by bit as it was. */
    redeliver: async (): Promise<void> => {
      await sending;
      if (last) await send(last);
    },
    close: async (): Promise<void> => {
      stop.abort();
      await sending;
    },
  };
}

/** What the program knows now: a message that replaces another one stands in its place. */
function messagesOf(receiver: Receiver) {
  const known = new Map<string, ReturnType<Receiver['taken']>[number]['message']>();
  for (const { message } of receiver.taken()) known.set(message.replaces ?? message.id, message);
  return [...known].map(([id, message]) => ({ ...message, id }));
}

function showMessage({ notice, text, receipts = [] }: ReturnType<typeof messagesOf>[number]): string {
  return [...(notice === undefined ? [] : [notice]), text, ...receipts.map(({ what, note }) => `${what} ${note}`)].join(
    '\n',
  );
}
