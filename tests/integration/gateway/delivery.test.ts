import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001, 1002, 1005);
});
afterAll(() => harness.close());

interface Row {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** Waits until none of these rows is open any more. */
async function settled(ids: readonly number[], timeoutMs?: number): Promise<readonly string[]> {
  return until(
    'all rows are settled',
    async () => {
      const rows = await harness.rows<Row>('select status from outbox where id = any($1) order by id', [ids]);
      return rows.every((row) => !['pending', 'sending'].includes(row.status)) && rows.map((row) => row.status);
    },
    timeoutMs,
  );
}

/** The newest `count` messages of the bot in Ada's chat. */
const last = async (count: number): Promise<readonly string[]> => (await harness.said(1001)).slice(-count);

test('control messages overtake other messages, which keep their order', async () => {
  await harness.fault({ method: 'sendMessage', delayMs: 300 });
  const first = await harness.say('telegram:1001', [{ text: 'on its way' }]);
  await until('the first one is being sent', async () => (await harness.calls('sendMessage')).length > 0);
  const ids = await harness.say('telegram:1001', [
    { text: 'progress', priority: 9 },
    { text: 'reply 1' },
    { text: 'reply 2' },
    { text: 'stopped', priority: 0 },
  ]);
  await settled([...first, ...ids]);
  expect(await last(5)).toEqual(['on its way', 'stopped', 'reply 1', 'reply 2', 'progress']);
});

test('progress that was not sent before the answer is sent above the answer', async () => {
  const ids = await harness.say('telegram:1001', [
    { text: 'saving: 10 %', slot: 's0', priority: 9 },
    { text: 'saving: 90 %', slot: 's0', priority: 9 },
    { text: 'saved' },
  ]);
  expect(await settled(ids)).toEqual(['superseded', 'sent', 'sent']);
  expect(await last(2)).toEqual(['saving: 90 %', 'saved']);
});

test('messages with the same slot are shown as one message that is edited at most once a second', async () => {
  const before = (await harness.calls('editMessageText')).length;
  const first = await harness.say('telegram:1001', [{ text: 'deploying: 10 %', slot: 's1', priority: 9 }]);
  await settled(first);
  const rest = await harness.say(
    'telegram:1001',
    ['20 %', '50 %', '90 %'].map((text) => ({ text: `deploying: ${text}`, slot: 's1', priority: 9 })),
  );
  expect(await settled(rest)).toEqual(['superseded', 'superseded', 'sent']);
  const end = await harness.say('telegram:1001', [{ text: 'deployed', slot: 's1' }]);
  await settled(end);
  expect(await last(1)).toEqual(['deployed']);
  expect((await harness.said(1001)).filter((text) => text.startsWith('deploying'))).toEqual([]);
  const edits = (await harness.calls('editMessageText')).slice(before);
  expect(edits).toHaveLength(2);
  expect((edits[1]?.at ?? 0) - (edits[0]?.at ?? 0)).toBeGreaterThanOrEqual(950);
});

test('an update of a deleted message is sent as a new message', async () => {
  await settled(await harness.say('telegram:1001', [{ text: 'progress of s2', slot: 's2' }]));
  await harness.fault({
    method: 'editMessageText',
    error: { code: 400, description: 'Bad Request: message to edit not found' },
  });
  await settled(await harness.say('telegram:1001', [{ text: 'result of s2', slot: 's2' }]));
  expect(await last(2)).toEqual(['progress of s2', 'result of s2']);
});

test.each(["message can't be edited", 'message to edit not found'])(
  'the update of an approval card is dropped without an error when Telegram says: %s',
  async (description) => {
    const slot = `receipt:${description}`;
    await settled(await harness.say('telegram:1001', [{ text: `card of ${slot}`, slot }]));
    await harness.fault({
      method: 'editMessageText',
      error: { code: 400, description: `Bad Request: ${description}` },
    });
    const before = (await harness.rows('select 1 from dead_letters')).length;
    const ids = await harness.say('telegram:1001', [{ text: 'receipt', slot, onlyChanges: true }]);
    expect(await settled(ids)).toEqual(['sent']);
    expect(await last(1)).toEqual([`card of ${slot}`]);
    expect(await harness.rows('select 1 from dead_letters')).toHaveLength(before);
    // What can be changed again is changed in its place.
    await settled(await harness.say('telegram:1001', [{ text: `end of ${slot}`, slot, onlyChanges: true }]));
    expect(await last(1)).toEqual([`end of ${slot}`]);
  },
);

test('an edit that Telegram answers with "not modified" counts as sent', async () => {
  await settled(await harness.say('telegram:1001', [{ text: 'same', slot: 's3' }]));
  expect(await settled(await harness.say('telegram:1001', [{ text: 'same', slot: 's3' }]))).toEqual(['sent']);
});

test('a message that is edited from one part to two and back shows each part once', async () => {
  const long = `${'a'.repeat(31_000)}\n\n${'b'.repeat(31_000)}`;
  await settled(await harness.say('telegram:1005', [{ text: 'short', slot: 's4' }]));
  await settled(await harness.say('telegram:1005', [{ text: long, slot: 's4' }]));
  expect(await harness.said(1005)).toEqual(['a'.repeat(31_000), 'b'.repeat(31_000)]);
  await settled(await harness.say('telegram:1005', [{ text: 'short again', slot: 's4' }]));
  expect(await harness.said(1005)).toEqual(['short again']);
});

test('a long text arrives complete and in order, with its buttons under the last part', async () => {
  const paragraphs = Array.from({ length: 125 }, (_, n) => `${n} ${'word '.repeat(60)}`.trim());
  const [id] = await harness.say('telegram:1002', [
    { text: paragraphs.join('\n\n'), buttons: [{ label: 'Go', value: 'go' }] },
  ]);
  await settled([id ?? 0]);
  const messages = (await harness.people.messages(1002)).filter((one) => one.from.isBot);
  expect(messages.map((one) => one.text).join('\n')).toBe(paragraphs.join('\n'));
  expect(messages.length).toBeGreaterThan(1);
  expect(messages.map((one) => one.buttons !== null)).toEqual([...Array(messages.length - 1).fill(false), true]);
});

test('a 429 delays only the chat that caused it, and that chat keeps its order', async () => {
  await harness.fault({ method: 'sendMessage', error: { code: 429, retryAfter: 6 } });
  const startedAt = Date.now();
  const slow = await harness.say('telegram:1001', [{ text: 'late 1' }, { text: 'late 2' }]);
  await until('the refusal came', async () => (await harness.calls('sendMessage')).some((call) => call.status === 429));
  await settled(await harness.say('telegram:1002', [{ text: 'at once' }]));
  expect(Date.now() - startedAt).toBeLessThan(6_000);
  expect(await settled(slow)).toEqual(['sent', 'sent']);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(6_000);
  expect(await last(2)).toEqual(['late 1', 'late 2']);
});

test('a short failure of Telegram delays a message without any notice in the chat', async () => {
  await harness.fault({ method: 'sendMessage', error: { code: 502 }, times: 2 });
  expect(await settled(await harness.say('telegram:1001', [{ text: 'after the hiccup' }]))).toEqual(['sent']);
  expect(await last(1)).toEqual(['after the hiccup']);
});

test('a message whose answer was lost is sent again under a line that says so', async () => {
  await harness.fault({ method: 'sendMessage', dropConnection: 'after' });
  await settled(await harness.say('telegram:1001', [{ text: 'did it **arrive**?' }]));
  expect(await last(2)).toEqual([
    'did it arrive?',
    '(repeated, because I could not see whether this arrived)\ndid it arrive?',
  ]);
  const message = (await harness.people.messages(1001)).at(-1);
  expect(message?.entities).toMatchObject([{ type: 'bold', offset: 64, length: 6 }]);
});

test.each([
  ['to wait', { error: { code: 429, retryAfter: 1 } }],
  ['that something is broken', { error: { code: 502 }, times: 3 }],
])(
  'a repeated message keeps its line about the repeat when Telegram answers the retry with %s',
  async (why, refusal) => {
    await harness.fault({ method: 'sendMessage', dropConnection: 'after' });
    await harness.fault({ method: 'sendMessage', ...refusal });
    await settled(await harness.say('telegram:1001', [{ text: why }]), 20_000);
    expect(await last(2)).toEqual([why, `(repeated, because I could not see whether this arrived)\n${why}`]);
  },
);

test('a repeated message that replaces a deleted one has a line about the repeat', async () => {
  await settled(await harness.say('telegram:1001', [{ text: 'progress', slot: 'gone' }]));
  const gone = { code: 400, description: 'Bad Request: message to edit not found' };
  await harness.fault({ method: 'editMessageText', error: gone, times: 2 });
  await harness.fault({ method: 'sendMessage', dropConnection: 'after' });
  await settled(await harness.say('telegram:1001', [{ text: 'result', slot: 'gone' }]));
  expect(await last(2)).toEqual(['result', '(repeated, because I could not see whether this arrived)\nresult']);
});

test('only the part of a long text whose answer was lost is sent again', async () => {
  const parts = ['a', 'b', 'c'].map((letter) => letter.repeat(31_000));
  const before = (await harness.calls('sendRichMessage')).length;
  await harness.fault({ method: 'sendRichMessage', delayMs: 1 });
  await harness.fault({ method: 'sendRichMessage', dropConnection: 'before' });
  await settled(await harness.say('telegram:1001', [{ text: parts.join('\n\n') }]));
  const sent = (await harness.calls('sendRichMessage')).slice(before).map((call) => {
    const { blocks } = call.params['rich_message'] as { readonly blocks: readonly { readonly text: string }[] };
    return blocks.map((block) => block.text.replace(/^([abc])\1+$/, '$1'));
  });
  expect(sent).toEqual([['a'], ['b'], ['(repeated, because I could not see whether this arrived)', 'b'], ['c']]);
});

test('an edit whose answer was lost is repeated', async () => {
  await settled(await harness.say('telegram:1001', [{ text: 'step 1', slot: 's5' }]));
  await harness.fault({ method: 'editMessageText', dropConnection: 'after' });
  await settled(await harness.say('telegram:1001', [{ text: 'step 2', slot: 's5' }]));
  expect(await last(1)).toEqual(['step 2']);
});

test('a message is sent without entities when Telegram cannot parse them', async () => {
  await harness.fault({
    method: 'sendMessage',
    error: { code: 400, description: "Bad Request: can't parse entities: unsupported" },
  });
  await settled(await harness.say('telegram:1001', [{ text: '**plain** in the end' }]));
  const message = (await harness.people.messages(1001)).at(-1);
  expect(message).toMatchObject({ text: 'plain in the end', entities: [] });
});

test('a message that Telegram refuses for good becomes a dead letter, and the next message is sent', async () => {
  const before = (await harness.calls('sendMessage')).length;
  await harness.fault({ method: 'sendMessage', error: { code: 400, description: 'Bad Request: no such thing' } });
  const ids = await harness.say('telegram:1001', [{ text: 'refused' }, { text: 'next' }]);
  expect(await settled(ids)).toEqual(['failed', 'sent']);
  expect((await harness.calls('sendMessage')).length).toBe(before + 2);
  expect(await harness.rows('select source, ref, reason from dead_letters where ref = $1', [String(ids[0])])).toEqual([
    { source: 'outbound', ref: String(ids[0]), reason: 'Bad Request: no such thing' },
  ]);
});

test('a message becomes a dead letter after the maximum number of failed tries', async () => {
  const [id] = await harness.say('telegram:1001', [{ text: 'never' }], false);
  await harness.rows('update outbox set attempts = 7 where id = $1', [id]);
  await harness.fault({ method: 'sendMessage', error: { code: 500 }, times: 3 });
  expect(await settled([id ?? 0])).toEqual(['failed']);
});

test('a message whose stream entry was lost is sent by the sweeper', async () => {
  const ids = await harness.say('telegram:1001', [{ text: 'never announced' }], false);
  expect(await settled(ids, 12_000)).toEqual(['sent']);
});

test('typing is shown while no message is being sent', async () => {
  const publisher = createPublisher({ redis: harness.redis, prefix: harness.prefix, partitions: 1 });
  const before = (await harness.calls('sendChatAction')).length;
  await harness.fault({ method: 'sendChatAction', error: { code: 403 } });
  await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'typing', chatKey: 'telegram:1001', traceId: 't' }]);
  await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'typing', chatKey: 'telegram:1002', traceId: 't' }]);
  await until('both are tried', async () => (await harness.calls('sendChatAction')).length === before + 2);
});

test('typing is shown as soon as a message is admitted, with no worker there', async () => {
  const before = (await harness.calls('sendChatAction')).length;
  await harness.people.say(1001, 'list the projects');
  await harness.people.say(1001, '/help');
  await until('the command is answered', async () => (await harness.said(1001)).some((text) => text.includes('/new')));
  const typed = (await harness.calls('sendChatAction')).slice(before);
  expect(typed.map(({ chatId }) => chatId)).toEqual([1001]);
});

test('an unreadable entry of the outbox stream becomes a dead letter', async () => {
  await harness.redis.xadd(`${harness.prefix}{out:telegram:0}:messages`, '*', 'data', '{"kind":"shout"}');
  await until('it is recorded', async () => {
    const rows = await harness.rows(`select 1 from dead_letters where source = 'stream'`);
    return rows.length === 1;
  });
});
