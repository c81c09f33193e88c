import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Call, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

/** Something Ada writes in a topic of the group; `topic` null is the general one. */
const inTopic = (updateId: number, topic: number | null, text: string): Promise<unknown> =>
  harness.people.post('/api/updates', {
    update: {
      update_id: updateId,
      message: {
        message_id: updateId,
        date: 1_700_000_000,
        chat: { id: -2001, type: 'supergroup', is_forum: true },
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        text,
        ...(topic === null ? {} : { is_topic_message: true, message_thread_id: topic }),
      },
    },
  });
const rows = (): Promise<readonly { chat_key: string; outcome: string | null }[]> =>
  harness.rows('select chat_key, outcome from inbox order by id');
const sends = (count: number): Promise<readonly Call[]> =>
  until(`${count} messages are sent`, async () => {
    const calls = await harness.calls('sendMessage');
    return calls.length >= count && calls;
  });
const statusOf = async (key: string): Promise<readonly string[]> =>
  (await harness.rows<{ status: string }>('select status from outbox where chat_key = $1 order by id', [key])).map(
    (row) => row.status,
  );

test('a question in a topic is answered in the topic, and in the general one without a number', async () => {
  await harness.startGateway();
  await inTopic(21, 77, '/whoami@signalbox_bot');
  await inTopic(22, null, '/whoami@signalbox_bot');
  const calls = await sends(2);
  expect((await rows()).map((row) => row.chat_key)).toEqual(['telegram:-2001/77', 'telegram:-2001']);
  const threads = calls.map((call) => [call.chatId, call.params['message_thread_id']]);
  expect(threads).toHaveLength(2);
  expect(threads).toEqual(
    expect.arrayContaining([
      [-2001, 77],
      [-2001, undefined],
    ]),
  );
});

test('a group that refuses us is parked with all of its topics, those to come included', async () => {
  await harness.startGateway();
  await inTopic(21, 77, '/whoami@signalbox_bot');
  await sends(1);
  await harness.people.post('/api/updates', {
    update: {
      update_id: 30,
      my_chat_member: { chat: { id: -2001, type: 'supergroup' }, new_chat_member: { status: 'kicked' } },
    },
  });
  await until('the topic is parked', async () => {
    const parked = await harness.rows('select 1 from chats where parked_at is not null');
    return parked.length === 2;
  });
  await harness.say('telegram:-2001/77', [{ text: 'known topic' }]);
  await harness.say('telegram:-2001/78', [{ text: 'new topic' }]);
  await until('both are given up', async () => (await statusOf('telegram:-2001/78'))[0] === 'undeliverable');
  await until('both are given up', async () => (await statusOf('telegram:-2001/77'))[1] === 'undeliverable');
  expect(await harness.calls('sendMessage')).toHaveLength(1);

  await inTopic(31, 79, '/whoami@signalbox_bot');
  await sends(2);
  await harness.say('telegram:-2001/77', [{ text: 'we are back' }]);
  await sends(3);
});

test('a topic that answers 403 parks its chat', async () => {
  await harness.startGateway();
  await harness.fault({ method: 'sendMessage', error: { code: 403, description: 'Forbidden: bot was kicked' } });
  await harness.say('telegram:-2001/77', [{ text: 'one' }]);
  await until('the chat is parked', async () => {
    const found = await harness.rows<{ parked_reason: string | null }>(
      `select parked_reason from chats where chat_key = 'telegram:-2001'`,
    );
    return found[0]?.parked_reason === 'Forbidden: bot was kicked';
  });
  await harness.say('telegram:-2001', [{ text: 'two' }]);
  await until(
    'what comes later is given up too',
    async () => (await statusOf('telegram:-2001'))[0] === 'undeliverable',
  );
});

test('a chat that gets a new id takes its topics along, with threads and what waits', async () => {
  await harness.rows(`insert into threads (thread_id, user_key, n, chat_key, agent) values
    ('t1', '1001', 1, 'telegram:-1/5', 'a'), ('t2', '1001', 2, 'telegram:-1', 'a')`);
  await harness.say('telegram:-1/5', [{ text: 'for the topic' }], false);
  await harness.startGateway();
  await harness.people.post('/api/updates', {
    update: {
      update_id: 40,
      message: { message_id: 1, date: 1_700_000_000, chat: { id: -1, type: 'group' }, migrate_to_chat_id: -2001 },
    },
  });
  const [call] = await sends(1);
  expect([call?.chatId, call?.params['message_thread_id']]).toEqual([-2001, 5]);
  const threads = await harness.rows<{ chat_key: string }>('select chat_key from threads order by thread_id');
  expect(threads.map((row) => row.chat_key)).toEqual(['telegram:-2001/5', 'telegram:-2001']);
});

test('the topics of a group share its pace', async () => {
  await harness.startGateway({ TELEGRAM_GROUP_SENDS_PER_MINUTE: '2' });
  for (const topic of [5, 6, 7]) await harness.say(`telegram:-2001/${topic}`, [{ text: `topic ${topic}` }]);
  await until('the third chat waits for its turn', async () => {
    const waits = await harness.rows(`select 1 from chats where not_before > now() + interval '1 second'`);
    return waits.length === 1;
  });
  expect(await sends(2)).toHaveLength(2);
});

test('429 in one topic holds up the others of its chat too', async () => {
  await harness.startGateway();
  await harness.fault({ method: 'sendMessage', error: { code: 429, retryAfter: 2 } });
  await harness.say('telegram:-2001/5', [{ text: 'first' }]);
  const [refused] = await sends(1);
  await harness.say('telegram:-2001/6', [{ text: 'second' }]);
  await harness.say('telegram:1001', [{ text: 'elsewhere' }]);
  const calls = await sends(4);
  expect(refused?.status).toBe(429);
  const later = calls.slice(1).filter((call) => call.chatId === -2001);
  expect(later).toHaveLength(2);
  for (const call of later) expect(call.at - (refused?.at ?? 0)).toBeGreaterThan(1_900);
});
