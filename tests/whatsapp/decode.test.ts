import { decodeWebhook } from '@signalbox/gateway/channels/whatsapp/receive/decode';
import { PUBLIC_PAYLOADS } from '@signalbox/whatsapp-simulator/webhook/public-payloads.fixture';
import { describe, expect, it } from 'vitest';

const NUMBER = '1122334455667';
const PERSON = { userKey: 'whatsapp-972987654321', chatKey: 'whatsapp:972987654321', name: 'Test Name' };

const updateOf = (name: keyof typeof PUBLIC_PAYLOADS, number = NUMBER) =>
  decodeWebhook(PUBLIC_PAYLOADS[name], number).updates[0];
/** The webhook of a text with other fields in its message. */
const withMessage = (fields: object) => {
  const copy = structuredClone(PUBLIC_PAYLOADS.text) as unknown as {
    readonly entry: readonly [{ readonly changes: readonly [{ readonly value: { messages: object[] } }] }];
  };
  const { value } = copy.entry[0].changes[0];
  value.messages = value.messages.map((message) => ({ ...message, ...fields }));
  return copy;
};

describe('a webhook body published by another project', () => {
  it.each([
    [
      'text',
      { kind: 'text', text: 'Body Text', attachments: [], at: '2023-10-11T16:53:43.000Z', updateId: 'wamid.xyzxyz' },
    ],
    [
      'document',
      {
        kind: 'text',
        text: 'caption',
        borrowed: 'forward',
        attachments: [
          { kind: 'document', name: 'filename.pdf', mimeType: 'application/pdf', ref: '1234567890987654321' },
        ],
      },
    ],
    ['image', { kind: 'text', text: '', attachments: [{ kind: 'photo', ref: '65463453', name: null }] }],
    ['voice', { kind: 'text', text: '', attachments: [{ kind: 'voice', mimeType: 'audio/ogg' }] }],
    ['sticker', { kind: 'not-text', what: 'sticker' }],
    ['location', { kind: 'not-text', what: 'place' }],
    ['contacts', { kind: 'not-text', what: 'contact' }],
    ['unsupported', { kind: 'not-text', what: 'other' }],
    ['brokenInteractive', { kind: 'not-text', what: 'other' }],
    ['reply', { kind: 'text', text: 'replied text', answers: 'wamid.xyzxyz==' }],
    ['quickReply', { kind: 'text', text: 'title', answers: 'wamid.xyzxyz==' }],
    ['edit', { kind: 'edit', text: 'Text was edited', messageId: 'wamid.zzzzzz' }],
  ] as const)('of the kind %s is decoded', (name, wanted) => {
    expect(updateOf(name)).toMatchObject({ ...PERSON, chatKind: 'private', ...wanted });
  });

  it('with a reaction is ignored, and with an unknown button is a press that matches no message', () => {
    expect(updateOf('reaction')).toMatchObject({ kind: 'ignored', reason: 'reaction' });
    expect(updateOf('button')).toMatchObject({ kind: 'press', outboxId: '0' });
    expect(updateOf('list')).toMatchObject({ kind: 'press', outboxId: '0' });
  });

  it('about a changed number removes the owner of the old number', () => {
    expect(updateOf('numberChange')).toMatchObject({ kind: 'vacated', userKey: 'whatsapp-972987654321' });
  });

  it('with other fields is decoded too', () => {
    expect(updateOf('hi', '104469288944395')).toMatchObject({ text: 'Hi', name: 'Jordan Kalebu' });
    expect(updateOf('withUserIds', '123456123')).toMatchObject({ text: 'this is a text message' });
  });

  it('with statuses contains no message, and the reason of a failed delivery is decoded', () => {
    expect(decodeWebhook(PUBLIC_PAYLOADS.sent, NUMBER).updates).toEqual([]);
    const { statuses, updates } = decodeWebhook(PUBLIC_PAYLOADS.failed, NUMBER);
    expect([updates, statuses[0]?.status, statuses[0]?.errors[0]?.code]).toEqual([[], 'failed', 130472]);
  });

  it('for another phone number is ignored', () => {
    expect(decodeWebhook(PUBLIC_PAYLOADS.text, '999').updates).toEqual([]);
  });
});

describe('a hostile webhook body', () => {
  it.each([
    ['a list', []],
    ['null', null],
    ['another object', { object: 'page', entry: [] }],
    ['entries without changes', { object: 'whatsapp_business_account', entry: [{}] }],
    ['a sender that is no number', withMessage({ from: 'whatsapp:1' })],
    ['a sender with a user name only', withMessage({ from: undefined })],
  ])('that is or has %s contains no message to admit', (_, payload) => {
    const { updates } = decodeWebhook(payload, NUMBER);
    expect(updates.every(({ kind }) => kind === 'ignored')).toBe(true);
  });

  it('with an impossible time is dated with the current time', () => {
    for (const timestamp of ['-1', '99999999999999', 'yesterday', -1]) {
      const [update] = decodeWebhook(withMessage({ timestamp }), NUMBER).updates;
      expect(Date.now() - Date.parse((update && 'at' in update && update.at) || '')).toBeLessThan(60_000);
    }
  });

  it('with an overlong id is stored under the hash of the id, and NUL is removed from its text', () => {
    const { updates } = decodeWebhook(
      withMessage({ id: `wamid.${'x'.repeat(150)}`, text: { body: 'a\u0000b\ud800' } }),
      NUMBER,
    );
    expect(updates[0]).toMatchObject({ updateId: expect.stringMatching(/^sha256:/), text: 'ab\ufffd' });
  });

  it("with a button press is decoded by the button's id, whatever its title", () => {
    const reply = { id: '12:3', title: 'Approve everything' };
    const { updates } = decodeWebhook(
      withMessage({
        type: 'interactive',
        text: undefined,
        context: { from: NUMBER, id: 'wamid.card' },
        interactive: { type: 'list_reply', list_reply: reply },
      }),
      NUMBER,
    );
    expect(updates[0]).toMatchObject({ kind: 'press', outboxId: '12', index: 3, messageId: 'wamid.card' });
    for (const id of ['12:333', 'b:12:3', '12', '-1:2', '12:3 ', '1e3:1']) {
      const foreign = withMessage({ interactive: { button_reply: { id, title: 'x' } } });
      expect(decodeWebhook(foreign, NUMBER).updates[0]).toMatchObject({ kind: 'press', outboxId: '0', index: 0 });
    }
  });
});
