import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001);
});
afterEach(() => harness.close());

interface Chat {
  readonly parked_reason: string | null;
  readonly moved_to: string | null;
}
const chat = async (chatKey = 'telegram:1001'): Promise<Chat | undefined> =>
  (await harness.rows<Chat>('select parked_reason, moved_to from chats where chat_key = $1', [chatKey]))[0];
const statuses = async (): Promise<readonly string[]> =>
  (await harness.rows<{ status: string }>('select status from outbox order by id')).map((row) => row.status);

test.each([
  [403, 'Forbidden: bot was blocked by the user'],
  [403, 'Forbidden: user is deactivated'],
  [400, 'Bad Request: chat not found'],
])('%i %s parks the chat, and a message from there unparks it', async (code, description) => {
  await harness.fault({ method: 'sendMessage', error: { code, description } });
  await harness.say('telegram:1001', [{ text: 'one' }, { text: 'two' }]);
  await until('the chat is parked', async () => (await chat())?.parked_reason === description);
  expect(await statuses()).toEqual(['undeliverable', 'undeliverable']);
  await harness.say('telegram:1001', [{ text: 'three' }]);
  await until('what comes later is given up too', async () => (await statuses())[2] === 'undeliverable');
  const letters = await harness.rows('select source, reason from dead_letters');
  expect(letters).toEqual(Array(3).fill({ source: 'outbound', reason: description }));
  expect(await harness.said(1001)).toEqual([]);

  await harness.people.post('/api/messages', { from: 1001, text: '/whoami' });
  await until('she is answered', async () => (await harness.said(1001)).length === 4);
  expect((await harness.said(1001)).slice(0, 3)).toEqual(['one', 'two', 'three']);
  expect((await chat())?.parked_reason).toBeNull();
  expect(await harness.rows('select 1 from dead_letters where resolved_at is null')).toEqual([]);
});

test('messages held while the bot was blocked are sent once and in order after the unblocking', async () => {
  await harness.people.post('/api/block', { person: 1001, blocked: true });
  await until('the chat is parked', async () => (await chat())?.parked_reason === 'blocked by the person');
  await harness.say('telegram:1001', [{ text: 'one' }, { text: 'two', priority: 0 }, { text: 'three', priority: 9 }]);
  await until('it is given up', async () => (await statuses()).every((status) => status === 'undeliverable'));
  await harness.people.post('/api/block', { person: 1001, blocked: false });
  await until('it arrives', async () => (await statuses()).every((status) => status === 'sent'), 15_000);
  for (const blocked of [true, false]) await harness.people.post('/api/block', { person: 1001, blocked });
  await harness.say('telegram:1001', [{ text: 'four' }]);
  await until('the next one arrives', async () => (await harness.said(1001)).includes('four'), 15_000);
  expect(await harness.said(1001)).toEqual(['one', 'two', 'three', 'four']);
});

test("held messages that are older than a day are summarized in one sentence in the person's language", async () => {
  await harness.rows(`update users set language = 'de' where user_key = '1001'`);
  await harness.people.post('/api/block', { person: 1001, blocked: true });
  await until('the chat is parked', async () => (await chat())?.parked_reason === 'blocked by the person');
  const userKey = '1001';
  await harness.say('telegram:1001', [
    { text: 'one', userKey },
    { text: 'two', userKey },
    { text: 'three', userKey },
  ]);
  await until('it is given up', async () => (await statuses()).every((status) => status === 'undeliverable'));
  await harness.rows(`update outbox set created_at = now() - interval '2 days' where body ->> 'text' <> 'three'`);
  await harness.people.post('/api/block', { person: 1001, blocked: false });
  const isQuiet = async (): Promise<boolean> => !(await statuses()).some((status) => /pending|sending/.test(status));
  await until('it arrives', async () => (await harness.said(1001)).length >= 2 && isQuiet(), 15_000);
  expect(await harness.said(1001)).toEqual(['three', expect.stringContaining('kamen 2 Nachrichten')]);
  for (const blocked of [true, false]) await harness.people.post('/api/block', { person: 1001, blocked });
  await harness.say('telegram:1001', [{ text: 'four' }]);
  await until('the next one arrives', async () => (await harness.said(1001)).includes('four'), 15_000);
  expect(await harness.said(1001)).toHaveLength(3);
});

test('blocking the bot parks the chat at once, and unblocking it unparks the chat', async () => {
  await harness.people.post('/api/block', { person: 1001, blocked: true });
  await until('the chat is parked', async () => (await chat())?.parked_reason === 'blocked by the person');
  await harness.people.post('/api/block', { person: 1001, blocked: false });
  await until('the chat is back', async () => (await chat())?.parked_reason === null);
});

test('a group that becomes a supergroup keeps its messages and threads', async () => {
  const [to, from] = ['telegram:-2001', 'telegram:-2000'];
  await harness.rows(
    `insert into threads (thread_id, user_key, n, chat_key, agent) values ('t1', '1001', 1, $1, 'a')`,
    [from],
  );
  // Held by a gateway that is gone, so that the rows are still open when the group moves.
  await harness.say(from, [{ text: 'hello' }], false);
  await harness.rows(`update chats set sender = 'gone', lease_until = now() + interval '1 hour' where chat_key = $1`, [
    from,
  ]);
  const message = {
    message_id: 1,
    date: 1_700_000_000,
    chat: { id: -2000, type: 'group' },
    from: { id: 1001, is_bot: false, first_name: 'Ada' },
    migrate_to_chat_id: -2001,
  };
  await harness.people.post('/api/updates', { update: { message } });
  await until('the old chat knows where it went', async () => (await chat(from))?.moved_to === to);
  expect(await harness.rows('select chat_key from threads')).toEqual([{ chat_key: to }]);
  await harness.say(from, [{ text: 'to the old address' }]);
  await until('both messages arrive', async () => (await harness.said(1001, 'ops')).length === 2, 15_000);
  expect(await harness.said(1001, 'ops')).toEqual(['hello', 'to the old address']);
});

test('a chat that is said to move to two chats at once ends up in one of them', async () => {
  const move = (from: number, to: number): Promise<unknown> =>
    harness.people.post('/api/updates', {
      update: {
        message: { message_id: 1, date: 1_700_000_000, chat: { id: from, type: 'group' }, migrate_to_chat_id: to },
      },
    });
  await move(-2001, -3000);
  await move(-3000, -2001);
  await until('the last word counts', async () => (await chat('telegram:-3000'))?.moved_to === 'telegram:-2001');
  await harness.say('telegram:-3000', [{ text: 'still here' }]);
  await until('it arrives', async () => (await harness.said(1001, 'ops')).includes('still here'));
});
