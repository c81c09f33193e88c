import type { MessageView } from '@signalbox/telegram-simulator/store/message-view';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHarness, until, type Call, type Harness, type StartedGateway } from './harness.ts';
import { ATTACKS, NASTY_TEXTS, type NastyText } from './nasty-texts.ts';

let harness: Harness;
let gateway: StartedGateway;

beforeAll(async () => {
  harness = await openHarness();
  gateway = await harness.startGateway();
  await harness.meet(1001);
});
afterAll(() => harness.close());

/** Some fifty messages of up to a hundred kilobytes, on a machine that may have other things to do. */
const TIMEOUT_MS = 180_000;

const GROUP = 'telegram:-2001';
const SENDS = new Set(['sendMessage', 'sendRichMessage']);

interface Row {
  readonly status: string;
  readonly receipt: { readonly messageIds: readonly string[] };
}

interface Delivered {
  readonly given: NastyText;
  /** The messages of its row, in the order in which they were sent. */
  readonly messages: readonly MessageView[];
}

/** Sends the texts into a chat and answers what arrived, with the calls that it took. */
async function deliver(
  chatKey: string,
  texts: readonly NastyText[],
): Promise<{ delivered: readonly Delivered[]; calls: readonly Call[] }> {
  const before = (await readCalls()).length;
  const ids = await harness.say(
    chatKey,
    texts.map(({ text }) => ({ text: storable(text), userKey: '1001' })),
  );
  const rows = await until(
    'every row is settled',
    async () => {
      const found = await harness.rows<Row>('select status, receipt from outbox where id = any($1) order by id', [ids]);
      return found.every((row) => !['pending', 'sending'].includes(row.status)) && found;
    },
    120_000,
  );
  expect(rows.map((row) => row.status)).toEqual(texts.map(() => 'sent'));
  const chat = chatKey === GROUP ? 'ops' : 1001;
  const messages = new Map((await harness.people.messages(1001, chat)).map((one) => [String(one.messageId), one]));
  const delivered = texts.map((given, place) => ({
    given,
    messages: rows[place]?.receipt.messageIds.flatMap((id) => messages.get(id) ?? []) ?? [],
  }));
  return { delivered, calls: (await readCalls()).slice(before) };
}

async function readCalls(): Promise<readonly Call[]> {
  return (await harness.people.get<Call[]>('/api/calls')).filter((call) => SENDS.has(call.method));
}

/** The database takes no NUL and no halves of characters: whoever puts rows there has replaced them. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '');
}

/** What can be read, without what differs between the forms: blanks, bullets, lines, the words above folded code. */
function readable(text: string): string {
  return text
    .replace(/^(?:js|sh|code), \d+ lines$/gm, '')
    .replace(/[\s\u00a0•☐☑│─┼]|———|\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('|', '');
}

/** The head of a table that is repeated where it goes on in the next message. */
const REPEATED_HEAD = /^.*\n─[─┼]*\n/;

const textOf = ({ messages }: Delivered): string =>
  messages.map((one, place) => (place === 0 ? one.text : one.text.replace(REPEATED_HEAD, ''))).join('\n');

function expectWhole(delivered: readonly Delivered[]): void {
  for (const one of delivered) {
    expect({ name: one.given.name, text: readable(textOf(one)) }).toEqual({
      name: one.given.name,
      text: readable(one.given.visible),
    });
  }
  // In the order of the rows, and of the parts of each.
  const order = delivered.flatMap(({ messages }) => messages.map((one) => one.messageId));
  expect(order).toEqual([...order].sort((a, b) => a - b));
}

test(
  'any text of a model arrives complete and in order, with one request per message and no refusal',
  async () => {
    const { delivered, calls } = await deliver('telegram:1001', NASTY_TEXTS);
    expectWhole(delivered);
    expect(calls.filter((call) => call.status !== 200)).toEqual([]);
    expect(calls).toHaveLength(delivered.flatMap((one) => one.messages).length);
    expect(new Set(calls.map((call) => call.method))).toEqual(SENDS);
  },
  TIMEOUT_MS,
);

describe('a text that contains markup of Telegram', () => {
  test.each([
    ['to one person', 'telegram:1001'],
    ['to a group', GROUP],
  ])('is shown as plain text: %s', async (_, chatKey) => {
    const { delivered, calls } = await deliver(chatKey, ATTACKS);
    expectWhole(delivered);
    for (const { messages } of delivered) {
      for (const message of messages) expect(message).toMatchObject({ buttons: null, file: null });
    }
    const sent = calls.map((call) => JSON.stringify(call.params));
    for (const params of sent) {
      expect(params).not.toMatch(/"(?:html|markdown|parse_mode|media|user|callback_data|reply_markup)":/);
      expect(params).not.toMatch(/"type":"(?:button|buttons|photo|map|text_mention|mention|bot_command)"/);
      // Only what opens in a browser is an address, and no image was asked for.
      for (const [, url] of params.matchAll(/"url":"([^"]*)"/g)) expect(url).toMatch(/^https?:\/\//);
    }
    for (const call of calls.filter((one) => one.method === 'sendRichMessage')) {
      expect(call.params['rich_message']).toMatchObject({ skip_entity_detection: true });
    }
  });

  test('mentions nobody in a group, and leaves code unchanged', async () => {
    const text = nastyText('@ada_lovelace **@ben_boss** (@cleo_ops) https://x.example/)@dara_ops `@scope/name`');
    const [group] = (await deliver(GROUP, [text])).delivered;
    const types = group?.messages.flatMap((one) => one.entities.map((entity) => entity.type));
    expect(types).not.toContain('mention');
    expect(group && textOf(group)).toContain('@scope/name');
    const [alone] = (await deliver('telegram:1001', [text])).delivered;
    expect(alone && textOf(alone)).toContain('@ada_lovelace');
  });
});

function nastyText(text: string): NastyText {
  return { name: text, text, visible: text };
}

describe('a server that knows no rich messages', () => {
  test(
    'gets one rich request, and then every message as complete plain text',
    async () => {
      await harness.fault({
        method: 'sendRichMessage',
        error: { code: 404, description: 'Not Found: method not found' },
      });
      const { delivered, calls } = await deliver('telegram:1001', NASTY_TEXTS);
      expectWhole(delivered);
      expect(calls.filter((call) => call.status !== 200).map((call) => [call.method, call.status])).toEqual([
        ['sendRichMessage', 404],
      ]);
      expect(calls.filter((call) => call.method === 'sendRichMessage')).toHaveLength(1);
      expect(calls).toHaveLength(1 + delivered.flatMap((one) => one.messages).length);
      const told = gateway.lines.filter((line) => String(line['message']).startsWith('rich messages are refused'));
      expect(told).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});
