import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, until } from '../support/until.ts';
import { openIngress, type IngressGateway } from './ingress-gateway.ts';
import { OTHER_SECRET, read, SECRET, tell } from './program.ts';
import { openReceiver, type Receiver } from './receiver.ts';

let ingress: IngressGateway;
let receiver: Receiver;
let other: Receiver;
beforeEach(async () => {
  receiver = await openReceiver(SECRET);
  other = await openReceiver(OTHER_SECRET);
  ingress = await openIngress({
    ci: { callbacks: [receiver.url, `${receiver.url}/elsewhere`] },
    alerts: { callback: other.url },
  });
});
afterEach(async () => {
  await ingress.close();
  await Promise.all([receiver.close(), other.close()]);
});

const CHAT = 'ingress:ci/builds';
const say = (text: string, more: object = {}, chat = CHAT): Promise<readonly number[]> =>
  ingress.harness.say(chat, [{ text, ...more }]);
const texts = (): readonly string[] => receiver.taken().map(({ message }) => message.text);
const statuses = async (chat = CHAT): Promise<readonly string[]> =>
  (
    await ingress.harness.rows<{ status: string }>('select status from outbox where chat_key = $1 order by id', [chat])
  ).map(({ status }) => status);

describe('a message', () => {
  test('is posted to the callback with a signature and its own id', async () => {
    const [row] = await say('It is **done**.', { buttons: [{ label: 'Again', value: 'again' }] });
    await until(() => receiver.taken().length === 1);
    expect(receiver.received).toMatchObject([{ key: `msg_${row}`, isGenuine: true, path: '/answers' }]);
    expect(receiver.taken()).toEqual([
      {
        event: null,
        conversation: 'builds',
        message: {
          id: `msg_${row}`,
          at: expect.any(String) as string,
          text: 'It is **done**.',
          buttons: [{ index: 0, label: 'Again' }],
          final: true,
        },
      },
    ]);
    await until(async () => (await statuses())[0] === 'sent');
  });

  test('is posted to the callback address that its event named', async () => {
    const id = await tell(ingress.ci, {
      text: '/help',
      conversation: 'builds',
      replyTo: `${receiver.url}/elsewhere`,
    });
    await until(() => receiver.taken().length === 1);
    expect(receiver.received).toMatchObject([{ path: '/answers/elsewhere', push: { event: id } }]);
  });

  test('that answers several events of one turn is posted to the address of each event', async () => {
    const wants = [`${receiver.url}/elsewhere`, receiver.url, receiver.url];
    const events: string[] = [];
    for (const [n, replyTo] of wants.entries())
      events.push(await tell(ingress.ci, { text: `build ${n} failed`, conversation: 'builds', replyTo }));
    await ingress.harness.rows(`update inbox set turn_id = 'turn_shared' where chat_key = $1`, [CHAT]);
    const [row] = await putOutbox(ingress.harness.pool, [
      {
        key: 'shared',
        chatKey: CHAT,
        userKey: null,
        threadId: null,
        turnId: 'turn_shared',
        traceId: 'trc_shared',
        priority: 5,
        slot: null,
        body: { text: 'All three are known.', buttons: [{ label: 'Again', value: 'again' }] },
      },
    ]);
    await say('behind it');
    await until(() => texts().includes('behind it'));
    const [first, second, third] = events;
    const id = `msg_${row?.id}`;
    const shared = receiver.received.filter(({ push }) => push.message.text !== 'behind it');
    expect(shared.map(({ path, key, push }) => ({ path, key, event: push.event, id: push.message.id }))).toEqual([
      { path: '/answers/elsewhere', key: id, event: first, id },
      { path: '/answers', key: `${id}.${second}`, event: second, id: `${id}.${second}` },
      { path: '/answers', key: `${id}.${third}`, event: third, id: `${id}.${third}` },
    ]);
    await tell(ingress.ci, { press: { message: `${id}.${third}`, index: 0 }, conversation: 'builds' });
    await until(async () => (await ingress.harness.rows('select 1 from outbox where pressed = 0')).length === 1);
  });

  test.each([
    ['before its events have ended', ''],
    [
      'after its turn was taken up again under another id',
      `update inbox set outcome = 'answered', turn_id = 'turn_again'`,
    ],
  ])('that a turn sends %s is posted to the callback of each event', async (_when, sql) => {
    const events: string[] = [];
    for (const n of [0, 1, 2])
      events.push(await tell(ingress.ci, { text: `build ${n} failed`, conversation: 'builds' }));
    const rows = await ingress.harness.rows<{ id: string; trace: string }>(
      'select id, trace_id as trace from inbox order by id',
    );
    await ingress.harness.rows(
      `update lanes set begun = 1, taken_to = $1 where user_key = (select user_key from inbox where id = $1)`,
      [rows[2]?.id],
    );
    // It came while the turn went on.
    await tell(ingress.ci, { text: 'build 3 failed', conversation: 'builds' });
    if (sql !== '') await ingress.harness.rows(`${sql} where id <= $1`, [rows[2]?.id]);
    const common = { chatKey: CHAT, userKey: null, threadId: null, priority: 5, slot: null } as const;
    const said = {
      key: 'early',
      turnId: 'turn_first',
      traceId: rows[0]?.trace ?? '',
      body: { text: 'Build 1 is known.', buttons: [] },
    };
    await putOutbox(ingress.harness.pool, [{ ...common, ...said }]);
    await say('behind it');
    await until(() => texts().includes('behind it'));
    expect(receiver.taken().flatMap(({ event, message }) => (message.text === 'behind it' ? [] : [event]))).toEqual(
      events,
    );
  });

  test('that is 30,000 letters long is one message', async () => {
    await say('x'.repeat(30_000));
    await until(() => receiver.taken().length === 1);
    expect(texts()).toEqual(['x'.repeat(30_000)]);
  });

  test('is posted again with the same id and a notice when the receiver broke the connection', async () => {
    let posts = 0;
    receiver.answer(() => ((posts += 1) === 1 ? 'hang up' : 200));
    const [row] = await say('Once.');
    await until(() => receiver.taken().length === 1);
    expect(receiver.received.map(({ key }) => key)).toEqual([`msg_${row}`, `msg_${row}`]);
    expect(receiver.received.map(({ push }) => push.message.notice)).toEqual([
      undefined,
      '(repeated, because I could not see whether this arrived)',
    ]);
    expect(texts()).toEqual(['Once.']);
  });

  test('waits as long as the receiver asks, and later messages wait too', async () => {
    let isAsked = false;
    receiver.answer(() => {
      if (isAsked) return 200;
      isAsked = true;
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    await ingress.harness.say(CHAT, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await until(() => texts().length === 3);
    expect(texts()).toEqual(['one', 'two', 'three']);
    expect(receiver.received.map(({ push }) => push.message.text)).toEqual(['one', 'one', 'two', 'three']);
  });

  test('becomes a dead letter when the receiver refuses it, and later messages are posted', async () => {
    receiver.answer(({ push }) => (push.message.text === 'bad' ? 422 : 200));
    await ingress.harness.say(CHAT, [{ text: 'bad' }, { text: 'good' }]);
    await until(() => texts().length === 1);
    expect(await eventually(statuses, (found) => found.at(-1) === 'sent')).toEqual(['failed', 'sent']);
    expect(await ingress.harness.rows('select reason from dead_letters')).toEqual([{ reason: 'HTTP 422' }]);
  });

  test.each([301, 302, 303, 307, 308])('is not posted to the target of a redirect with %i', async (status) => {
    receiver.answer(() => ({ status, headers: { location: other.url } }));
    await say('For you alone.');
    expect(await eventually(statuses, (found) => found[0] === 'failed')).toEqual(['failed']);
    expect(await ingress.harness.rows('select reason from dead_letters')).toEqual([
      { reason: `HTTP ${status}: no redirect is followed` },
    ]);
    expect(other.received).toEqual([]);
  });

  test('about progress is posted only for the first and the last step', async () => {
    const { pool, redis, prefix } = ingress.harness;
    const publisher = createPublisher({ redis, prefix, partitions: 1 });
    const step = async (text: string, progress: 'underway' | 'over'): Promise<void> => {
      await putOutbox(pool, [
        {
          key: `step ${text}`,
          chatKey: CHAT,
          traceId: 'trc_steps',
          priority: 9,
          slot: 'deploy',
          body: { text, buttons: [], progress, ...(progress === 'over' ? { onlyChanges: true } : {}) },
        },
      ]);
      await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'send', chatKey: CHAT, traceId: 'trc_steps' }]);
    };
    const isSent = (count: number): Promise<unknown> =>
      eventually(statuses, (found) => found.length === count && found.at(-1) === 'sent');
    await step('10 %', 'underway');
    await isSent(1);
    await step('50 %', 'underway');
    await isSent(2);
    await step('Deployed.', 'over');
    await isSent(3);
    const [first, last] = receiver.taken().map(({ message }) => message);
    expect([first, last]).toMatchObject([
      { text: '10 %', final: false },
      { text: 'Deployed.', replaces: first?.id, final: true },
    ]);
    expect(receiver.received).toHaveLength(2);
  });
});

test('messages of a source without a callback are marked as sent when they are written', async () => {
  await ingress.close();
  ingress = await openIngress();
  const id = await tell(ingress.ci, { text: '/whoami' });
  const { messages } = await eventually(
    () => read(ingress.ci, id),
    (answer) => answer.status === 'answered',
  );
  expect(messages).toMatchObject([{ text: expect.stringContaining('ingress-ci') as string, final: true }]);
  expect(
    await eventually(
      () => statuses(`ingress:ci/${id}`),
      ([status]) => status === 'sent',
    ),
  ).toEqual(['sent']);
  expect(receiver.received).toEqual([]);
});

describe('a callback that is down', () => {
  test('gets each message once and in order when it is up again', async () => {
    await receiver.stop();
    for (let n = 0; n < 10; n += 1) await say(`message ${n}`);
    await until(async () => (await ingress.harness.rows('select 1 from outbox where error is not null')).length > 0);
    await receiver.start();
    await until(() => texts().length === 10, 40_000);
    expect(texts()).toEqual(Array.from({ length: 10 }, (_, n) => `message ${n}`));
    expect(await eventually(statuses, (found) => found.every((status) => status === 'sent'))).toHaveLength(10);
  });

  test.each([502, 503, 504])('behind a proxy that answers %i uses up no delivery attempt', async (status) => {
    receiver.answer(() => status);
    await say('patient');
    await until(() => receiver.received.length >= 4, 40_000);
    expect(await ingress.harness.rows('select attempts <= 3 as "isFresh" from outbox')).toEqual([{ isFresh: true }]);
    receiver.answer(() => 200);
    await until(() => texts().length === 1, 40_000);
  });

  test('and never answers delays no message to other sources', async () => {
    receiver.answer(() => 'silence');
    // More conversations than the gateway delivers to at once.
    await Promise.all(Array.from({ length: 80 }, (_, n) => say(`never ${n}`, {}, `ingress:ci/hanging-${n}`)));
    await until(() => receiver.received.length >= 4);
    await ingress.harness.say('ingress:alerts/x', [{ text: 'meanwhile' }]);
    // Before anything that hangs is given up, after ten seconds.
    await until(() => other.taken().length === 1, 8_000);
    // Few are under way to it, however many wait.
    expect(receiver.received.length).toBeLessThanOrEqual(4);
  });
});

describe('two gateways', () => {
  test('post each message once by its id while one gateway is replaced', async () => {
    const { gateway } = await ingress.startAnother();
    const chats = Array.from({ length: 12 }, (_, n) => `ingress:ci/chat-${n}`);
    let posts = 0;
    receiver.answer(() => ((posts += 1) % 5 === 0 ? 500 : 200));
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(chats.map((chat) => say(`${chat} ${round}`, {}, chat)));
      if (round === 2) await gateway.close();
    }
    await until(() => texts().length === 60, 45_000);
    for (const chat of chats)
      expect(texts().filter((text) => text.startsWith(`${chat} `))).toEqual(
        Array.from({ length: 5 }, (_, round) => `${chat} ${round}`),
      );
  });
});

test('an endless response of a receiver is cut off', async () => {
  const endless: Server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const write = (): void => {
      while (response.write('x'.repeat(16_384)));
      response.once('drain', write);
    };
    write();
  });
  await new Promise<void>((resolve) => void endless.listen(0, '127.0.0.1', resolve));
  try {
    await ingress.close();
    const { port } = endless.address() as AddressInfo; // it listens on TCP
    ingress = await openIngress({ ci: { callback: `http://127.0.0.1:${port}/` } });
    await say('Heard?');
    expect(await eventually(statuses, ([status]) => status === 'sent', 10_000)).toEqual(['sent']);
  } finally {
    endless.closeAllConnections();
    endless.close();
  }
});
