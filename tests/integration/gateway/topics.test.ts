import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Call, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

/** The group's topics, as the simulator has them; the general one has no number. */
const [DEPLOYS, INCIDENTS] = [101, 102];

const inTopic = (topic: number | null, text: string): Promise<unknown> =>
  harness.people.post('/api/messages', { from: 1001, chat: 'ops', text, ...(topic === null ? {} : { topic }) });
const seen = async (): Promise<readonly (readonly [number | null, string])[]> =>
  (await harness.people.messages(1001, 'ops'))
    .filter((one) => one.from.isBot)
    .map((one) => [one.topicId, one.text] as const);
const untilSeen = (count: number): Promise<readonly (readonly [number | null, string])[]> =>
  until(`${count} messages are there`, async () => {
    const messages = await seen();
    return messages.length >= count && messages;
  });
const sends = (count: number): Promise<readonly Call[]> =>
  until(`${count} messages are sent`, async () => {
    const calls = await harness.calls('sendMessage');
    return calls.length >= count && calls;
  });
const statusOf = async (key: string): Promise<readonly string[]> =>
  (await harness.rows<{ status: string }>('select status from outbox where chat_key = $1 order by id', [key])).map(
    (row) => row.status,
  );
const WHO = 'You are Ada, id 1001, role admin.';

test('a question in a topic is answered in that topic, and a question in the general topic without a topic id', async () => {
  await harness.startGateway();
  await inTopic(DEPLOYS, '/help@signalbox_bot');
  await inTopic(null, '/status@signalbox_bot');
  const answers = await untilSeen(2);
  const rows = await harness.rows<{ chat_key: string }>('select chat_key from inbox order by id');
  expect(rows.map((row) => row.chat_key)).toEqual(['telegram:-2001/101', 'telegram:-2001']);
  expect(answers.find(([, text]) => text.startsWith('Tell me'))?.[0]).toBe(DEPLOYS);
  expect(answers.find(([, text]) => text.startsWith('Nothing is running'))?.[0]).toBeNull();
});

test('a message in a topic that the bot opened is ignored unless it replies to the bot', async () => {
  await harness.people.post('/api/rights', { by: 1001, status: 'administrator' });
  await harness.startGateway();
  await inTopic(DEPLOYS, 'lunch?');
  await harness.say('telegram:-2001/101', [{ text: 'which project?' }]);
  await untilSeen(1);
  const question = (await harness.people.messages(1001, 'ops')).find((one) => one.from.isBot);
  await harness.people.post('/api/messages', { from: 1001, chat: 'ops', text: 'shop', replyTo: question?.messageId });
  const [row] = await until('the answer is admitted', async () => {
    const rows = await harness.rows(`select envelope ->> 'text' as text, chat_key from inbox`);
    return rows.length > 0 && rows;
  });
  expect(row).toEqual({ text: 'shop', chat_key: 'telegram:-2001/101' });
});

test('a group that refuses messages is parked with all of its topics, including later ones', async () => {
  await harness.startGateway();
  await inTopic(DEPLOYS, '/status@signalbox_bot');
  await untilSeen(1);
  await harness.people.post('/api/rights', { by: 1001, status: 'kicked' });
  await until('the topic is parked', async () => {
    const parked = await harness.rows('select 1 from chats where parked_at is not null');
    return parked.length === 2;
  });
  await harness.say('telegram:-2001/101', [{ text: 'known topic' }]);
  await harness.say('telegram:-2001/102', [{ text: 'new topic' }]);
  await until('both are given up', async () => (await statusOf('telegram:-2001/102'))[0] === 'undeliverable');
  await until('both are given up', async () => (await statusOf('telegram:-2001/101'))[1] === 'undeliverable');
  expect(await harness.calls('sendMessage')).toHaveLength(1);

  await harness.people.post('/api/rights', { by: 1001, status: 'member' });
  await inTopic(INCIDENTS, '/status@signalbox_bot');
  await harness.say('telegram:-2001/101', [{ text: 'we are back' }]);
  const seen = await untilSeen(5);
  expect(seen.filter(([topic]) => topic === DEPLOYS).slice(1)).toEqual([
    [DEPLOYS, 'known topic'],
    [DEPLOYS, 'we are back'],
  ]);
  expect(seen).toContainEqual([INCIDENTS, 'new topic']);
});

test('a topic that answers 403 parks the whole chat', async () => {
  await harness.startGateway();
  await harness.fault({ method: 'sendMessage', error: { code: 403, description: 'Forbidden: bot was kicked' } });
  await harness.say('telegram:-2001/101', [{ text: 'one' }]);
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

test('an answer to a deleted topic becomes a dead letter, and the other messages of the chat are sent', async () => {
  await harness.startGateway();
  await harness.say('telegram:-2001/77', [{ text: 'for a topic that is gone' }]);
  await until('it is given up', async () => (await statusOf('telegram:-2001/77'))[0] === 'failed');
  await harness.say('telegram:-2001', [{ text: 'still here' }]);
  expect(await untilSeen(1)).toEqual([[null, 'still here']]);
});

test('a group that becomes a supergroup keeps its topics, threads and waiting messages', async () => {
  await harness.rows(`insert into threads (thread_id, user_key, n, chat_key, agent) values
    ('t1', '1001', 1, 'telegram:-1/101', 'a'), ('t2', '1001', 2, 'telegram:-1', 'a')`);
  await harness.say('telegram:-1/101', [{ text: 'for the topic' }], false);
  await harness.startGateway();
  await harness.people.post('/api/updates', {
    update: {
      update_id: 40,
      message: { message_id: 1, date: 1_700_000_000, chat: { id: -1, type: 'group' }, migrate_to_chat_id: -2001 },
    },
  });
  expect(await untilSeen(1)).toEqual([[DEPLOYS, 'for the topic']]);
  const threads = await harness.rows<{ chat_key: string }>('select chat_key from threads order by thread_id');
  expect(threads.map((row) => row.chat_key)).toEqual(['telegram:-2001/101', 'telegram:-2001']);
});

test('the topics of a group share its rate limit', async () => {
  await harness.startGateway({ TELEGRAM_GROUP_SENDS_PER_MINUTE: '2' });
  for (const key of ['telegram:-2001/101', 'telegram:-2001/102', 'telegram:-2001'])
    await harness.say(key, [{ text: key }]);
  await until('the third chat waits for its turn', async () => {
    const waits = await harness.rows(`select 1 from chats where not_before > now() + interval '1 second'`);
    return waits.length === 1;
  });
  expect(await sends(2)).toHaveLength(2);
});

test('a 429 in one topic delays the other topics of its chat too', async () => {
  await harness.startGateway();
  await harness.fault({ method: 'sendMessage', error: { code: 429, retryAfter: 2 } });
  await harness.say('telegram:-2001/101', [{ text: 'first' }]);
  const [refused] = await sends(1);
  await harness.say('telegram:-2001/102', [{ text: 'second' }]);
  await untilSeen(2);
  const later = (await harness.calls('sendMessage')).slice(1);
  expect(refused?.status).toBe(429);
  for (const call of later) expect(call.at - (refused?.at ?? 0)).toBeGreaterThan(1_900);
});

test('a command in a topic of a private chat is answered in that topic', async () => {
  await harness.startGateway();
  await harness.meet(1001);
  await harness.people.post('/api/updates', {
    update: {
      message: {
        message_id: 41,
        date: 1_700_000_000,
        chat: { id: 1001, type: 'private' },
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        text: '/whoami',
        is_topic_message: true,
        message_thread_id: 9,
      },
    },
  });
  const [call] = await sends(1);
  expect(call?.params).toMatchObject({ chat_id: 1001, message_thread_id: 9, text: WHO });
});

test('a link to a message becomes plain text in a chat whose messages have no address', async () => {
  await harness.startGateway();
  const text = 'decide on [the card](#message), see [help](https://example.org/)';
  await harness.say('telegram:-2001', [{ text, linkTo: '42' }]);
  expect((await untilSeen(1))[0]?.[1]).toContain('decide on the card, see help');
});
