import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001);
});
afterEach(() => harness.close());

async function store(id: string, name: string, bytes: Buffer): Promise<{ artifactId: string; name: string }> {
  await harness.rows(
    `insert into artifacts (id, action_id, place, turn_id, thread_id, user_key, name, mime_type, sha256, size_bytes, bytes)
     values ($1, $1, 0, 't', 'th', '1001', $2, 'text/csv', '', $3, $4)`,
    [id, name, bytes.length, bytes],
  );
  return { artifactId: id, name };
}

const put = (body: object, chatKey = 'telegram:1001', key = 'test:files'): Promise<unknown> =>
  harness.rows(`select * from outbox_put($1::jsonb)`, [
    JSON.stringify([
      {
        key,
        chatKey,
        userKey: '1001',
        threadId: null,
        turnId: null,
        traceId: 'trc',
        priority: 5,
        slot: null,
        body: { buttons: [], ...body },
      },
    ]),
  ]);
const announce = (chatKey = 'telegram:1001'): Promise<unknown> => harness.say(chatKey, []);

const status = async (): Promise<string> =>
  (await harness.rows<{ status: string }>(`select status from outbox where key = 'test:files'`))[0]?.status ?? '';
const untilStatus = (wanted: string): Promise<boolean> =>
  until(`it is ${wanted}`, async () => (await status()) === wanted, 20_000);

/** What the bot sent: texts, and files as their names. */
const seen = async (chat: number | 'ops' = 1001): Promise<readonly string[]> =>
  (await harness.people.messages(1001, chat))
    .filter((one) => one.from.isBot)
    .map((one) => (one.file ? `${one.text}[${one.file.name}]` : one.text));

async function bytesOf(name: string): Promise<Buffer> {
  const message = (await harness.people.messages(1001)).find((one) => one.file?.name === name);
  const response = await fetch(`${harness.simulatorUrl}${message?.file?.url ?? ''}`);
  return Buffer.from(await response.arrayBuffer());
}

test('files are sent after their text, in order and unchanged, with the buttons under the text', async () => {
  const csv = Buffer.from('a,b\r\n"ü",2\r\n');
  const large = Buffer.alloc(3_000_000, 7);
  const files = [await store('art_1', 'list.csv', csv), await store('art_2', 'dump.bin', large)];
  await put({ text: 'Here they are.', buttons: [{ label: 'Thanks', value: 'thanks' }], files });
  await announce();
  await untilStatus('sent');
  expect(await seen()).toEqual(['Here they are.', '[list.csv]', '[dump.bin]']);
  expect((await bytesOf('list.csv')).equals(csv)).toBe(true);
  expect((await bytesOf('dump.bin')).equals(large)).toBe(true);
  const [text, file] = (await harness.people.messages(1001)).filter((one) => one.from.isBot);
  expect([text?.buttons?.length, file?.buttons]).toEqual([1, null]);
  const [row] = await harness.rows<{ receipt: { messageIds: string[] } }>('select receipt from outbox');
  expect(row?.receipt.messageIds).toHaveLength(3);
});

test('only the file whose answer was lost is sent again, under a line that says so', async () => {
  const files = [await store('art_1', 'a.csv', Buffer.from('1')), await store('art_2', 'b.csv', Buffer.from('2'))];
  await harness.fault({ method: 'sendDocument', dropConnection: 'after' });
  await put({ text: 'Two files.', files });
  await announce();
  await untilStatus('sent');
  expect(await seen()).toEqual([
    'Two files.',
    '[a.csv]',
    '(repeated, because I could not see whether this arrived)[a.csv]',
    '[b.csv]',
  ]);
});

test('a short failure of Telegram during an upload delays the file without any notice in the chat', async () => {
  const files = [await store('art_1', 'a.csv', Buffer.from('1'))];
  await harness.fault({ method: 'sendDocument', error: { code: 502 } });
  await put({ text: 'One file.', files });
  await announce();
  await untilStatus('sent');
  expect(await seen()).toEqual(['One file.', '[a.csv]']);
});

test('a file that is no longer stored becomes a dead letter, and its text is sent', async () => {
  await put({ text: 'It was here.', files: [{ artifactId: 'art_gone', name: 'a.csv' }] });
  await announce();
  await untilStatus('failed');
  expect(await seen()).toEqual(['It was here.']);
  expect(await harness.rows('select reason from dead_letters')).toEqual([
    { reason: 'the file is not stored any more' },
  ]);
});

test('a file for a topic is sent into that topic', async () => {
  const files = [await store('art_1', 'a.csv', Buffer.from('1'))];
  await put({ text: 'For the topic.', files }, 'telegram:-2001/101');
  await announce('telegram:-2001/101');
  await untilStatus('sent');
  const topics = (await harness.people.messages(1001, 'ops')).filter((one) => one.from.isBot).map((one) => one.topicId);
  expect(topics).toEqual([101, 101]);
});

test('a long answer with files is sent completely', async () => {
  const files = [await store('art_1', 'a.csv', Buffer.from('1'))];
  const paragraphs = Array.from({ length: 300 }, (_, n) => `Paragraph ${n} ${'x'.repeat(150)}`);
  await put({ text: paragraphs.join('\n\n'), files });
  await announce();
  await untilStatus('sent');
  const all = await seen();
  expect(all.at(-1)).toBe('[a.csv]');
  expect(all.join('\n')).toContain('Paragraph 299');
  expect(all.filter((text) => text.includes('Paragraph 0 '))).toHaveLength(1);
});
