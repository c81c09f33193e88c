import { claimChat } from '@signalbox/gateway/delivery/outgoing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHarness, until, type Harness } from '../integration/gateway/harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const CHAT = 'telegram:1001';
/** Three rich messages, or many ordinary ones; each word is there once. */
const LONG = Array.from({ length: 9_000 }, (_, n) => `word${n}`).join(' ');
const WORDS = LONG.split(' ');

interface Row {
  readonly status: string;
  readonly receipt: { readonly messageIds: readonly string[]; readonly simpleFrom?: number | null } | null;
}

const readRow = async (id: number): Promise<Row | undefined> =>
  (await harness.rows<Row>('select status, receipt from outbox where id = $1', [id]))[0];
const untilStatus = (id: number, status: string): Promise<Row> =>
  until(
    `the row is ${status}`,
    async () => {
      const row = await readRow(id);
      return row?.status === status && row;
    },
    30_000,
  );
const forms = async (): Promise<readonly string[]> =>
  (await harness.people.messages(1001)).filter((one) => one.from.isBot).map((one) => (one.rich ? 'rich' : 'text'));
const words = async (): Promise<readonly string[]> => (await harness.said(1001)).join(' ').match(/word\d+/g) ?? [];

/** Puts the long text into the outbox and answers its row. */
const sayLong = async (): Promise<number> => (await harness.say(CHAT, [{ text: LONG }]))[0] ?? 0;

test('a refused rich message is sent as text, with every word once and in order', async () => {
  await harness.startGateway();
  await harness.meet(1001);
  await harness.fault({ method: 'sendRichMessage', delayMs: 1 });
  await harness.fault({ method: 'sendRichMessage', error: { code: 400, description: 'Bad Request: BLOCK_INVALID' } });
  await untilStatus(await sayLong(), 'sent');
  const [first, ...rest] = await forms();
  expect([first, new Set(rest)]).toEqual(['rich', new Set(['text'])]);
  expect(await words()).toEqual(WORDS);
  await untilStatus((await harness.say(CHAT, [{ text: '# rich again' }]))[0] ?? 0, 'sent');
  expect((await forms()).at(-1)).toBe('rich');
});

test.each([
  { began: 'as text', richBefore: 0 },
  { began: 'rich and went on as text', richBefore: 1 },
])('a message that began $began is continued as text by the next gateway', async ({ richBefore }) => {
  const first = await harness.startGateway();
  await harness.meet(1001);
  if (richBefore > 0) await harness.fault({ method: 'sendRichMessage', delayMs: 1, times: richBefore });
  await harness.fault({ method: 'sendRichMessage', error: { code: 400, description: 'Bad Request: BLOCK_INVALID' } });
  await harness.fault({ method: 'sendMessage', delayMs: 1, times: 3 });
  await harness.fault({ method: 'sendMessage', error: { code: 429, retryAfter: 1 } });
  const id = await sayLong();
  await until('three parts of text arrived', async () => (await harness.said(1001)).length === richBefore + 3);
  const { receipt } = await untilStatus(id, 'pending');
  expect(receipt).toMatchObject({ simpleFrom: richBefore, messageIds: { length: richBefore + 3 } });
  await first.close();
  // Another one had begun and died before it sent or wrote anything.
  await until('the pause is over', async () => {
    const lane = { gateway: 'gw_dead', leaseMs: 1, pick: true, slotMs: 1_000 };
    const begun = await claimChat(harness.pool, CHAT, lane);
    return begun.state === 'held' && begun.item?.id === id;
  });
  await harness.startGateway();
  await untilStatus(id, 'sent');
  expect(await forms()).toEqual((await forms()).map((_, place) => (place < richBefore ? 'rich' : 'text')));
  expect(await words()).toEqual(WORDS);
});

test('a text message that was partly sent is continued with its next part by the next gateway', async () => {
  const first = await harness.startGateway();
  await harness.meet(1001);
  await harness.fault({ method: 'sendRichMessage', error: { code: 404 } });
  await harness.fault({ method: 'sendMessage', delayMs: 1, times: 2 });
  await harness.fault({ method: 'sendMessage', error: { code: 429, retryAfter: 1 } });
  const id = await sayLong();
  await until('two parts arrived', async () => (await harness.said(1001)).length === 2);
  await untilStatus(id, 'pending');
  await first.close();
  await harness.rows(`update outbox set receipt = receipt - 'simpleFrom' where id = $1`, [id]);
  await harness.startGateway();
  await untilStatus(id, 'sent');
  expect(await words()).toEqual(WORDS);
});

test('a rich message whose answer was lost is sent again as a rich message, under a line that says so', async () => {
  await harness.startGateway();
  await harness.meet(1001);
  await harness.fault({ method: 'sendRichMessage', dropConnection: 'after' });
  await untilStatus((await harness.say(CHAT, [{ text: '# did it arrive?' }]))[0] ?? 0, 'sent');
  expect(await harness.said(1001)).toEqual([
    'did it arrive?',
    '(repeated, because I could not see whether this arrived)\ndid it arrive?',
  ]);
  expect(await forms()).toEqual(['rich', 'rich']);
});

test('a message that repeatedly fails as a rich message is sent as text', async () => {
  await harness.startGateway();
  await harness.meet(1001);
  const [id = 0] = await harness.say(CHAT, [{ text: '# too much for the proxy' }], false);
  await harness.rows('update outbox set attempts = 4 where id = $1', [id]);
  await harness.fault({ method: 'sendRichMessage', error: { code: 502 }, times: 20 });
  await untilStatus(id, 'sent');
  expect(await harness.said(1001)).toEqual(['too much for the proxy']);
  expect(await forms()).toEqual(['text']);
  expect(await harness.calls('sendRichMessage')).toEqual([]);
});

test('a message is sent as text when rich messages are turned off', async () => {
  await harness.startGateway({ TELEGRAM_RICH_MESSAGES: 'off' });
  await harness.meet(1001);
  await untilStatus(await sayLong(), 'sent');
  expect(new Set(await forms())).toEqual(new Set(['text']));
  expect(await words()).toEqual(WORDS);
  expect(await harness.calls('sendRichMessage')).toEqual([]);
});

describe('a message that is edited in place', () => {
  const change = async (text: string): Promise<void> => {
    await untilStatus((await harness.say(CHAT, [{ text, slot: 's' }]))[0] ?? 0, 'sent');
  };

  test('changes from text to rich and back to text', async () => {
    await harness.startGateway();
    await harness.meet(1001);
    for (const [text, form] of [
      ['working', 'text'],
      ['# done\n\n| a |\n|---|\n| 1 |', 'rich'],
      ['over', 'text'],
    ] as const) {
      await change(text);
      expect(await forms()).toEqual([form]);
    }
    expect(await harness.said(1001)).toEqual(['over']);
  });

  test('is sent as text when the server supports no rich messages, which the gateway then remembers', async () => {
    await harness.startGateway();
    await harness.meet(1001);
    await change('working');
    await harness.fault({
      method: 'editMessageText',
      error: { code: 400, description: 'Bad Request: message text is empty' },
    });
    await change('# half');
    await change('# done');
    expect(await forms()).toEqual(['text']);
    expect(await harness.said(1001)).toEqual(['done']);
    expect((await harness.calls('editMessageText')).map((call) => call.status)).toEqual([400, 200, 200]);
  });

  test('shows each part of its text once, as a rich message or as text', async () => {
    await harness.startGateway();
    await harness.meet(1001);
    await change(LONG);
    await harness.fault({ method: 'editMessageText', error: { code: 404 } });
    await change(LONG.replaceAll('word', 'wort'));
    expect((await harness.said(1001)).join(' ').match(/wor[dt]\d+/g)).toEqual(
      WORDS.map((word) => word.replace('d', 't')),
    );
    await change('short');
    expect(await harness.said(1001)).toEqual(['short']);
  });
});
