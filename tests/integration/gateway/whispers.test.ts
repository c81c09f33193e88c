import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

const ADA = 1001;
const BEN = 1002;
const FROM_GROUP = '(sent to you alone, not to the group)';
const inGroup = (from: number, text: string): Promise<unknown> =>
  harness.people.post('/api/messages', { from, text, chat: 'ops' });
const promote = (): Promise<unknown> => harness.people.post('/api/rights', { by: ADA, status: 'administrator' });
const seenInGroup = (person: number): Promise<readonly string[]> => harness.said(person, 'ops');
const hears = (person: number, chat: 'ops' | undefined, count = 1): Promise<readonly string[]> =>
  until(`${person} hears something`, async () => {
    const said = await harness.said(person, chat);
    return said.length >= count && said;
  });
const put = (body: object, options: { slot?: string; key?: string } = {}): Promise<unknown> =>
  harness.rows(`select * from outbox_put($1::jsonb)`, [
    JSON.stringify([
      {
        key: options.key ?? `test:${Math.random()}`,
        chatKey: 'telegram:-2001',
        userKey: String(ADA),
        threadId: null,
        turnId: null,
        traceId: 'trc',
        priority: 5,
        slot: options.slot ?? null,
        body: { buttons: [], onlyFor: String(ADA), ...body },
      },
    ]),
  ]);
const announce = (): Promise<unknown> => harness.say('telegram:-2001', []);
const press = async (from: number, button: string, chat?: 'ops'): Promise<string> => {
  const { callbackQueryId } = await harness.people.post('/api/clicks', { from, button, ...(chat ? { chat } : {}) });
  return until('the press is answered', async () => {
    const click = await harness.people.get<{ answered: boolean; text: string }>(`/api/clicks/${callbackQueryId}`);
    return click.answered && click.text;
  });
};

describe('in a group where the bot is an administrator', () => {
  beforeEach(async () => {
    await promote();
  });

  test.each([
    ['/whoami@signalbox_bot', ADA, 'You are Ada, id 1001, role admin.'],
    ['/people@signalbox_bot', ADA, '3 people may speak here:'],
    ['/people@signalbox_bot', BEN, 'Your role (developer) does not allow that'],
    ['/invite@signalbox_bot viewer', ADA, 'Write that to me in private'],
    ['/statsu@signalbox_bot', BEN, 'There is no command /statsu.'],
  ])('the answer to %s from person %i is shown only to that person', async (text, person, answer) => {
    await inGroup(person, text);
    const [said] = await hears(person, 'ops');
    expect(said).toContain(answer);
    expect(await seenInGroup(person === ADA ? BEN : ADA)).toEqual([]);
  });

  test('an answer for the whole group is visible to everybody, and replies to the question', async () => {
    const { messageId } = await harness.people.post('/api/messages', {
      from: ADA,
      text: '/status@signalbox_bot',
      chat: 'ops',
    });
    await hears(BEN, 'ops');
    const [line] = (await harness.people.messages(BEN, 'ops')).filter((one) => one.from.isBot);
    expect(line).toMatchObject({ text: 'Nothing is running.', replyTo: messageId, ephemeral: null });
  });

  test('an edit of a message that only one person sees changes that message in place', async () => {
    await put({ text: 'one' }, { slot: 's' });
    await announce();
    await hears(ADA, 'ops');
    await put({ text: 'two' }, { slot: 's' });
    await announce();
    await until('it is changed', async () => (await seenInGroup(ADA))[0] === 'two');
    expect(await seenInGroup(ADA)).toEqual(['two']);
    expect(await harness.calls('editEphemeralMessageText')).toHaveLength(1);
  });

  test('a button that only one person sees works once, and its answer is visible to that person only', async () => {
    await put({ text: 'Sure?', buttons: [{ label: 'Yes', value: 'yes, do it' }] });
    await announce();
    await hears(ADA, 'ops');
    expect(await press(ADA, 'Yes', 'ops')).toBe('✓ Yes');
    const [row] = await harness.rows<{ envelope: object }>(
      `select envelope from inbox where envelope ->> 'button' is not null`,
    );
    expect(row?.envelope).toMatchObject({
      text: 'yes, do it',
      chatKey: 'telegram:-2001',
      whisper: true,
      messageId: null,
    });
    await until('the button is gone', async () => (await harness.people.messages(ADA, 'ops'))[0]?.buttons === null);
  });

  test('a file meant for one person is shown to nobody else in the group', async () => {
    await harness.rows(
      `insert into artifacts (id, action_id, place, turn_id, thread_id, user_key, name, mime_type, sha256, size_bytes, bytes)
       values ('art_1', 'a', 0, 't', 'th', '1001', 'list.csv', 'text/csv', '', 1, '1')`,
    );
    await put({ text: 'Your list.', files: [{ artifactId: 'art_1', name: 'list.csv' }] });
    await announce();
    await hears(ADA, 'ops', 2);
    expect(await seenInGroup(BEN)).toEqual([]);
  });

  test('the notice about the rate limit is shown only to the person who exceeds it', async () => {
    const hasty = await openHarness();
    try {
      await hasty.people.post('/api/rights', { by: ADA, status: 'administrator' });
      await hasty.startGateway({ INBOUND_BURST: '2' });
      await until('a window has just begun', async () => Date.now() % 10_000 < 6_000);
      for (let n = 0; n < 4; n += 1)
        await hasty.people.post('/api/messages', { from: ADA, text: `@signalbox_bot ${n}`, chat: 'ops' });
      await until('she is told', async () => (await hasty.said(ADA, 'ops')).some((text) => /faster/.test(text)));
      expect(await hasty.said(BEN, 'ops')).toEqual([]);
    } finally {
      await hasty.close();
    }
  });
});

describe('in a group where the bot is a plain member', () => {
  test('a private answer is sent to the private chat, under a line that says so', async () => {
    await harness.meet(ADA);
    await inGroup(ADA, '/people@signalbox_bot');
    const [said] = await hears(ADA, undefined);
    expect(said?.startsWith(`${FROM_GROUP}\n3 people may speak here:`)).toBe(true);
    expect(await seenInGroup(ADA)).toEqual([]);
  });

  test('a private answer becomes a harmless line in the group when the private chat is closed', async () => {
    await inGroup(ADA, '/people@signalbox_bot');
    const [line] = await hears(ADA, 'ops');
    expect(line).toMatch(/^My answer is for you alone, and I may not write to you in private yet\./);
    await inGroup(ADA, '/status@signalbox_bot');
    expect((await hears(ADA, 'ops', 2))[1]).toBe('Nothing is running.');
    expect(await harness.rows('select 1 from chats where parked_at is not null')).toEqual([]);
    expect(await harness.rows('select 1 from dead_letters')).toEqual([]);
  });

  test('a button in the private chat works, and its value goes to the group conversation', async () => {
    await harness.meet(ADA, BEN);
    await put({ text: 'Sure?', buttons: [{ label: 'Yes', value: 'yes, do it' }] });
    await announce();
    await hears(ADA, undefined);
    expect(await press(ADA, 'Yes')).toBe('✓ Yes');
    const [row] = await harness.rows<{ chat_key: string; envelope: object }>(
      `select chat_key, envelope from inbox where envelope ->> 'button' is not null`,
    );
    expect(row?.chat_key).toBe('telegram:-2001');
    expect(row?.envelope).toMatchObject({ text: 'yes, do it', chatKind: 'group', messageId: null });
  });

  test('a command that only the bot can see gets an answer that only its author can see', async () => {
    await until('the menu says that only the bot is to see it', async () => {
      const offered = await harness.people.get<{ command: string; is_ephemeral?: boolean }[]>(
        '/api/commands?as=1002&chat=ops',
      );
      return offered.find((one) => one.command === 'whoami')?.is_ephemeral;
    });
    await inGroup(BEN, '/whoami@signalbox_bot');
    expect(await hears(BEN, 'ops')).toEqual(['You are Ben, id 1002, role developer.']);
    expect(await seenInGroup(ADA)).toEqual([]);
    const [asked] = await harness.people.messages(ADA, 'ops');
    expect(asked).toBeUndefined();
  });
});

test('a server without ephemeral messages is not asked to send any', async () => {
  await harness.meet(ADA);
  await harness.fault({ method: 'deleteEphemeralMessage', error: { code: 404, description: 'Not Found' }, times: 5 });
  await inGroup(ADA, '/people@signalbox_bot');
  await hears(ADA, undefined);
  const calls = await harness.calls('sendMessage');
  expect(calls.filter((call) => call.params['ephemeral_message_parameters'] !== undefined)).toEqual([]);
});
