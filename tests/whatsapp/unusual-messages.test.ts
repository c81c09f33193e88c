import { readFileSync } from 'node:fs';
import { decodeWebhook } from '@signalbox/gateway/channels/whatsapp/receive/decode';
import { BOT_DEFAULTS } from '@signalbox/whatsapp-simulator/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { ADA, openWhatsApp, type StartedGateway, type WhatsAppHarness } from './harness.ts';

const NULL_CAPTION = readFileSync(new URL('../fixtures/whatsapp/null-caption.json', import.meta.url), 'utf8');

let harness: WhatsAppHarness;
let gateway: StartedGateway;

beforeAll(async () => {
  harness = await openWhatsApp();
  gateway = await harness.startGateway();
  await harness.people.settings({ retryMs: 10 });
  await harness.people.subscribe(gateway.webhook);
  // From here on she may be answered.
  await harness.people.say(ADA, 'hello');
});
afterAll(() => harness.close());

let count = 0;
/** Members of a message from Ada, in the shape in which Meta sends them. */
const message = (fields: object): Readonly<Record<string, unknown>> => ({
  from: ADA,
  id: `wamid.unusual${(count += 1)}`,
  timestamp: `${Math.floor(Date.now() / 1_000)}`,
  type: 'text',
  ...fields,
});
const webhook = (messages: readonly unknown[], value: object = {}): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '102290129340398',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '12025550100', phone_number_id: BOT_DEFAULTS.phoneNumberId },
              contacts: [{ profile: { name: 'Ada' }, wa_id: ADA }],
              messages,
              ...value,
            },
          },
        ],
      },
    ],
  });
/** What Meta is answered when it brings this, signed. */
const bring = async (body: string): Promise<number> => (await harness.people.postRaw(body)).status;
const kept = async (text: string) => (await harness.inbox()).find((one) => one['text'] === text);

describe('a webhook whose fields differ from the documentation', () => {
  it('is read as a document without a caption when the caption is null', async () => {
    expect(await bring(NULL_CAPTION)).toBe(200);
    const envelope = await until(async () => (await harness.inbox()).find((one) => one['updateId'] === 'wamid.T1'));
    expect(envelope).toMatchObject({ text: '', attachments: [{ kind: 'document', ref: 'D1', name: 'a.txt' }] });
  });

  it.each([
    ['a time that is a number', { timestamp: 1_795_725_455 }],
    ['no time', { timestamp: null }],
    ['a context that is null', { context: null }],
    ['a context whose id is a number', { context: { id: 5, from: 7 } }],
    ['a sender that is a number', { from: Number(ADA) }],
    ['other kinds of messages beside it, all null', { document: null, interactive: null, system: null, edit: null }],
    ['a picture that is a text', { image: 'none' }],
  ])('is read when its message has %s', async (what, fields) => {
    expect(await bring(webhook([message({ text: { body: what }, ...fields })]))).toBe(200);
    expect(await kept(what)).toMatchObject({ userKey: `whatsapp-${ADA}` });
  });

  it.each([
    ['contacts are null', { contacts: null }],
    ['contacts have no name', { contacts: [{ wa_id: ADA, profile: null }, null, 7] }],
    ['statuses and errors are null', { statuses: null, errors: null }],
    ['the id of our number is a number', { metadata: { phone_number_id: Number(BOT_DEFAULTS.phoneNumberId) } }],
  ])('is read when %s', async (what, value) => {
    expect(await bring(webhook([message({ text: { body: what } })], value))).toBe(200);
    expect(await kept(what)).toBeDefined();
  });

  it('is read as text when a number stands in place of the text', async () => {
    await bring(webhook([message({ text: { body: 4711 } })]));
    expect(await kept('4711')).toBeDefined();
  });
});

describe('an unreadable WhatsApp message', () => {
  it.each([
    ['without an id', { id: null, text: { body: 'lost?' } }],
    ['with an id that is an object', { id: { a: 1 }, text: { body: 'lost?' } }],
    ['with a NUL in its id', { id: 'wamid.\0', text: { body: 'lost?' } }],
    ['with words in a list', { text: { body: ['lost?', count] } }],
    ['with a file without an id', { type: 'document', document: { filename: 'a.txt' } }],
    ['of a type that every object has', { type: 'constructor', constructor: { a: 1 } }],
    ['of the type __proto__', { type: '__proto__' }],
    ['of the type toString', { type: 'toString' }],
    ['with a type that is a number', { type: 7 }],
  ])('is answered when it is a message %s, and the message beside it is read', async (what, fields) => {
    const before = (await harness.seen()).length;
    const beside = `beside one ${what}`;
    expect(await bring(webhook([message(fields), message({ text: { body: beside } })]))).toBe(200);
    expect(await kept(beside)).toBeDefined();
    const seen = await until(async () => ((await harness.seen()).length > before ? harness.seen() : undefined));
    expect(seen.slice(before)).toEqual([
      'I cannot read this kind of message yet. Please write what you need in words.',
    ]);
  });

  it('is logged and counted when it has no author to notify', async () => {
    const beside = 'the sender beside it has a number';
    await bring(webhook([message({ from: null, from_user_id: 'US.1' }), 7, message({ text: { body: beside } })]));
    expect(await kept(beside)).toBeDefined();
    const lines = gateway.lines.filter((line) => line['message'] === 'update not read');
    expect(lines.map((line) => [line['level'], line['reason']])).toEqual([
      ['warn', 'no phone number'],
      ['warn', 'malformed message'],
    ]);
  });

  it('does not affect the other messages of its webhook', async () => {
    const text = 'a part that is whole';
    // What this file has built itself has entries.
    const { entry, ...rest } = JSON.parse(webhook([message({ text: { body: text } })])) as { entry: unknown[] };
    const body = JSON.stringify({ ...rest, entry: [null, { changes: 'none' }, { changes: [null, 7] }, ...entry] });
    expect(await bring(body)).toBe(200);
    expect(await kept(text)).toBeDefined();
    expect(gateway.lines.filter((line) => line['reason'] === 'part of a webhook')).toHaveLength(4);
  });

  it('with extremely deep nesting does not delay other messages', async () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
    const text = 'beside something deep';
    const body = webhook([message({ text: { body: text } }), 'DEEP'], { errors: ['DEEP'] }).replaceAll('"DEEP"', deep);
    expect(await bring(body)).toBe(200);
    expect(await kept(text)).toBeDefined();
    expect(await bring(deep)).toBe(200);
  });

  it('does not include a message with a field named __proto__', () => {
    const body = webhook([message({ text: { body: 'hi' } })]).replace('"from"', '"__proto__":{"kind":"x"},"from"');
    expect(decodeWebhook(JSON.parse(body), BOT_DEFAULTS.phoneNumberId).updates).toMatchObject([
      { kind: 'text', text: 'hi' },
    ]);
  });
});

it.each([
  ['is none of ours', 'another-program:1'],
  ['has no id', null],
  ['is of a row that there is not', '999999:0'],
])('a press on a button whose reference %s is answered', async (_, id) => {
  const before = (await harness.seen()).length;
  const interactive = { type: 'button_reply', button_reply: { id, title: 'Yes' } };
  expect(await bring(webhook([message({ type: 'interactive', interactive })]))).toBe(200);
  const seen = await until(async () => ((await harness.seen()).length > before ? harness.seen() : undefined));
  expect(seen.slice(before)).toEqual(['This button is no longer active.']);
});
