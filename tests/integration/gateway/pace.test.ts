import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';
import { letRepliesWait } from './waiting-replies.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const sentTo = async (chat: number): Promise<readonly number[]> =>
  (await harness.calls('sendMessage')).filter((call) => call.chatId === chat).map((call) => call.at);
const texts = (count: number): readonly { text: string }[] =>
  Array.from({ length: count }, (_, n) => ({ text: `message ${n}` }));

/** The clock of the simulator's call log. Taken before the first send, so that a slow start cannot make a pace look too quick. */
const now = (): number => performance.timeOrigin + performance.now();

test('a chat is sent a burst, then one message a second, and delays no other chat', async () => {
  await harness.startGateway({ TELEGRAM_CHAT_SENDS_PER_SECOND: '1', TELEGRAM_CHAT_BURST: '4' });
  await harness.meet(1001, 1002);
  const startedAt = now();
  await harness.say('telegram:1001', texts(8));
  await until('the burst is over', async () => (await sentTo(1001)).length >= 4);
  await harness.say('telegram:1002', [{ text: 'at once' }]);
  await until('all are sent', async () => (await sentTo(1001)).length === 8, 20_000);
  const times = await sentTo(1001);
  const [other = Number.POSITIVE_INFINITY] = await sentTo(1002);
  for (const [place, at] of times.slice(4).entries()) expect(at - startedAt).toBeGreaterThan((place + 1) * 1_000 - 50);
  expect(other).toBeLessThan(times.at(-1) ?? 0);
  expect(await harness.said(1001)).toEqual(texts(8).map((row) => row.text));
});

test('a gateway releases a chat that must wait long, and a control message still goes first', async () => {
  await harness.startGateway({ TELEGRAM_CHAT_SENDS_PER_SECOND: '0.4', TELEGRAM_CHAT_BURST: '1' });
  await harness.meet(1001);
  await harness.say('telegram:1001', texts(2));
  await until('the chat is given back', async () => {
    const rows = await harness.rows(`select 1 from chats where sender is null and not_before > now()`);
    return rows.length === 1;
  });
  await harness.say('telegram:1001', [{ text: 'Stopping…', priority: 0 }]);
  await until('all are sent', async () => (await sentTo(1001)).length === 3, 20_000);
  expect(await harness.said(1001)).toEqual(['message 0', 'Stopping…', 'message 1']);
});

test('sends to all chats together stay within the global rate', async () => {
  await harness.startGateway({ TELEGRAM_SENDS_PER_SECOND: '5' });
  await harness.meet(1001, 1002, 1005);
  const startedAt = now();
  for (const chat of [1001, 1002, 1005]) await harness.say(`telegram:${chat}`, texts(4));
  const calls = await until('all are sent', async () => {
    const found = await harness.calls('sendMessage');
    return found.length === 12 && found;
  });
  const span = (calls.at(-1)?.at ?? 0) - startedAt;
  // Five at once, seven more at five a second.
  expect(span).toBeGreaterThan(1_200);
});

test.each([1, 2])(
  'while 400 replies wait for %i gateways, the answer to /stop is read within a second, and the replies keep their pace',
  async (gateways) => {
    for (let n = 1; n <= gateways; n += 1)
      await harness.startGateway({ TELEGRAM_SENDS_PER_SECOND: String(28 / gateways) });
    await harness.meet(1001);
    await letRepliesWait(
      harness,
      Array.from({ length: 400 }, (_, at) => 5_000 + at),
    );
    await until('the replies are on their way', async () => (await harness.calls('sendMessage')).length > 60, 20_000);
    const waits: number[] = [];
    for (let time = 1; time <= 3; time += 1) {
      const askedAt = now();
      await harness.people.post('/api/messages', { from: 1001, text: '/stop' });
      const at = await until('the answer is read', async () => (await sentTo(1001))[time - 1], 30_000);
      waits.push(at - askedAt);
    }
    expect(Math.max(...waits)).toBeLessThan(1_000);
    const times = (await harness.calls('sendMessage')).map(({ at }) => at);
    expect(times.length).toBeLessThan(400);
    // A burst of a second, and after it 28 a second.
    expect(times.length).toBeLessThanOrEqual(28 + (28 * ((times.at(-1) ?? 0) - (times[0] ?? 0))) / 1_000 + 1);
  },
);

test('a command in a chat that waits for its turn with a reply is answered first, whichever gateway serves the chat', async () => {
  for (const _ of [1, 2]) await harness.startGateway({ TELEGRAM_SENDS_PER_SECOND: '2' });
  await letRepliesWait(
    harness,
    Array.from({ length: 90 }, (_, at) => 5_000 + at),
  );
  const held = await until('chats wait', async () => {
    // Of each gateway the chat whose reply came last: the reply of another may be on its way already.
    const rows = await harness.rows<{ chat: number; sender: string }>(
      `select distinct on (c.sender) split_part(c.chat_key, ':', 2)::int as chat, c.sender from chats c
         join outbox o using (chat_key)
        where o.status = 'pending' and c.sender in (select sender from chats where sender is not null group by sender having count(*) > 15)
        order by c.sender, o.id desc`,
    );
    return rows.length === 2 && rows;
  });
  for (const { chat } of held) {
    const askedAt = now();
    await harness.people.post('/api/messages', { from: chat, text: '/stop' });
    const at = await until('the answer is read', async () => (await sentTo(chat))[0], 30_000);
    expect(at - askedAt).toBeLessThan(2_000);
    expect(await harness.said(chat)).not.toEqual([`answer for ${chat}`]);
  }
});
