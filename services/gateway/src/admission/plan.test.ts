import { InboundEnvelope, MAX_INBOUND_LENGTH } from '@signalbox/contracts/conversation/envelope';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../commands/registry.ts';
import type { PersonUpdate } from './choice.ts';
import { toCodePlan, planUpdate, type AdmissionPlan } from './plan.ts';

const OPTIONS = {
  channel: 'telegram',
  language: null,
  bot: '100',
  withinLimit: true,
  hasToasts: true,
  fileLimitBytes: 20 * 1024 * 1024,
  voiceLimitBytes: null,
  window: { id: 7, leftMs: 4_200 },
};
const SAID = {
  updateId: '5',
  userKey: '1001',
  chatKey: 'telegram:1001',
  chatKind: 'private',
  name: 'Ada',
  at: '2026-01-02T03:04:05.000Z',
  messageId: '9',
} as const;
const text = (words: string): Extract<PersonUpdate, { kind: 'text' }> => ({
  ...SAID,
  kind: 'text',
  text: words,
  named: true,
  attachments: [],
  album: null,
  whisper: false,
});

function planOne(update: PersonUpdate, options = OPTIONS): AdmissionPlan {
  const [plan, more] = planUpdate(update, options);
  if (!plan || more) throw new Error('expected exactly one plan');
  return plan;
}

test('a text message is queued in an envelope that the worker can parse', () => {
  const { admission } = planOne(text('hello'));
  expect(admission.verdict).toBe('message');
  expect(InboundEnvelope.parse(admission.envelope)).toMatchObject({ id: 'telegram:100:5', text: 'hello' });
});

test.each(['/start', '/help', '/status', '/stop', '/whoami', '/HELP@signalbox_bot'])(
  'the command %s is answered at once instead of being queued',
  (said) => {
    expect(planOne(text(said)).admission.verdict).toBe('answer');
  },
);

test.each(['/etc/hosts is broken', '/', '/var/log', '//', '/2', 'help', 'and /stop', '/привет'])(
  'the text %j is queued as a message for the agent',
  (said) => {
    expect(parseCommand(said)).toBeNull();
    expect(planOne(text(said)).admission.verdict).toBe('message');
  },
);

test.each(['/deploy shop', '/helpme', '/STATUSS@signalbox_bot'])(
  'the text %j is answered as an unknown command',
  (said) => {
    expect(planOne(text(said))).toMatchObject({
      answer: { kind: 'unknown-command' },
      admission: { verdict: 'answer' },
    });
  },
);

test('an unknown command in a group is ignored unless it mentions the bot', () => {
  const said = { ...text('/weather'), chatKind: 'group', named: false } as const;
  expect(planUpdate(said, OPTIONS)).toEqual([]);
  expect(planOne({ ...said, named: true }).admission.verdict).toBe('answer');
  expect(planOne({ ...said, text: '/status' }).admission.verdict).toBe('answer');
});

test('the command /new is queued like a message', () => {
  const { admission } = planOne(text('/new'));
  expect(admission.verdict).toBe('new');
  expect(InboundEnvelope.parse(admission.envelope)).toMatchObject({ kind: 'command', command: 'new' });
});

test('the command /new with a text starts a new conversation with that text as its first message', () => {
  const plans = planUpdate(text('/new deploy shop'), OPTIONS);
  expect(plans.map((plan) => plan.admission.verdict)).toEqual(['new', 'message']);
  expect(plans[1]?.envelope.text).toBe('deploy shop');
  expect(new Set(plans.map((plan) => plan.admission.updateId)).size).toBe(2);
});

test('a message that is too long is refused, and only its beginning is stored', () => {
  const { admission } = planOne(text(`${'x'.repeat(199)}😀${'y'.repeat(MAX_INBOUND_LENGTH)}`));
  expect(admission).toMatchObject({ verdict: 'refuse', reason: 'too long' });
  expect(admission.reply?.body.text).toContain('16,201 characters');
  expect(InboundEnvelope.parse(admission.envelope)).toMatchObject({ text: `${'x'.repeat(199)}\ufffd` });
});

test('a message of exactly the maximum length is accepted', () => {
  expect(planOne(text('x'.repeat(MAX_INBOUND_LENGTH))).admission.verdict).toBe('message');
});

test('messages over the rate limit are refused with one reply per time window, but /stop is accepted', () => {
  const hasty = { ...OPTIONS, withinLimit: false };
  expect(planOne(text('hello'), hasty).admission).toMatchObject({
    verdict: 'refuse',
    reason: 'too fast',
    reply: {
      key: 'too-fast:1001:7',
      body: { text: 'That is faster than I can follow. Please wait 5 s; I dropped this message.' },
    },
  });
  expect(planOne(text('/stop'), hasty).admission.verdict).toBe('answer');
});

test('an invitation code is checked in a private chat, and is marked as exposed in a group', () => {
  expect(planOne(text('abcd-1234-efgh')).code).toEqual({ text: 'abcd-1234-efgh', sure: false, exposed: false });
  expect(planOne(text('ABCD-1234-EFGH')).code).toEqual({ text: 'ABCD-1234-EFGH', sure: true, exposed: false });
  expect(planOne(text('/start abcd-1234-efgh')).code).toEqual({ text: 'abcd-1234-efgh', sure: true, exposed: false });
  expect(planOne({ ...text('ABCD-1234-EFGH'), chatKind: 'group' }).code).toMatchObject({ exposed: true });
});

test('the text of an invitation code is never stored', () => {
  const hasty = { ...OPTIONS, withinLimit: false };
  const code = planOne(text('ABCD-1234-EFGH'));
  for (const plan of [
    planOne(text('/start ABCD-1234-EFGH')),
    planOne(text('/start@signalbox_bot ABCD-1234-EFGH'), hasty),
    planOne(text('ABCD-1234-EFGH'), hasty),
    toCodePlan(code, { kind: 'exposed-code' }, null),
  ]) {
    expect(JSON.stringify(plan.admission)).not.toContain('ABCD');
  }
});

test("a stranger's message is answered with their id in a private chat, and not in a group", () => {
  expect(planOne(text('hello')).admission.stranger?.body.text).toContain('your id is 1001');
  expect(planOne({ ...text('hello'), chatKind: 'group' }).admission.stranger).toBeNull();
});

const PDF = {
  kind: 'document',
  ref: 'f1',
  name: 'report.pdf',
  mimeType: 'application/pdf',
  sizeBytes: 120_000,
} as const;

test('a file is admitted as one message with its caption', () => {
  const { admission } = planOne({ ...text('what is this?'), attachments: [PDF] });
  expect(admission).toMatchObject({ verdict: 'message', holdMs: 0 });
  expect(InboundEnvelope.parse(admission.envelope)).toMatchObject({ text: 'what is this?', attachments: [PDF] });
});

test('a file of an album waits for the other files of the album', () => {
  const { admission } = planOne({ ...text(''), attachments: [PDF], album: 'g1' });
  expect(admission.holdMs).toBeGreaterThan(0);
  expect(InboundEnvelope.parse(admission.envelope)).toMatchObject({ album: 'g1' });
});

test('a file above the size limit is refused, and a file of exactly the limit is accepted', () => {
  const sized = (sizeBytes: number): AdmissionPlan =>
    planOne({ ...text('look'), attachments: [{ ...PDF, sizeBytes }] });
  expect(sized(OPTIONS.fileLimitBytes).admission.verdict).toBe('message');
  expect(sized(OPTIONS.fileLimitBytes + 1).admission).toMatchObject({
    verdict: 'refuse',
    reason: 'too large',
    reply: {
      body: { text: expect.stringMatching(/^report\.pdf has 21 MB; from here I can take files of up to 21 MB/) },
    },
  });
});

test.each([
  ['sticker', 'I cannot read a sticker yet. Please write what you need in words.'],
  ['other', 'I cannot read this kind of message yet. Please write what you need in words.'],
] as const)(
  'a message of the kind %s, which the bot cannot read, is answered with an explanation',
  (what, sentence) => {
    expect(planOne({ ...SAID, kind: 'not-text', what }).admission.reply?.body.text).toBe(sentence);
  },
);

describe('edits', () => {
  const edit = (words: string): PersonUpdate => ({ ...SAID, kind: 'edit', text: words, album: null });

  test('an edit replaces the text of a waiting message, or is answered once when it is too late', () => {
    const { admission } = planOne(edit('deploy blog'));
    expect(admission).toMatchObject({
      verdict: 'edit',
      kind: 'edit',
      edit: { messageId: '9', text: 'deploy blog' },
      reply: { key: 'edited:telegram:1001:9', body: { replyTo: '9' } },
      stranger: null,
    });
  });

  test.each(['/stop', '/new deploy', '/nonsense', 'x'.repeat(MAX_INBOUND_LENGTH + 1)])(
    'an edit to the command or overlong text %.12j does not replace the text of the message',
    (said) => {
      expect(planOne(edit(said)).admission.edit?.text).toBeNull();
    },
  );

  test('a message that is edited into an invitation code is checked as a code and not stored', () => {
    const plan = planOne(edit('ABCD-1234-EFGH'));
    expect(plan).toMatchObject({ code: { sure: true }, admission: { edit: null } });
    expect(planOne(edit('/start abcd-1234-efgh')).code).toMatchObject({ sure: true });
    expect(planOne(edit('shop-blue-test')).code).toBeNull();
  });
});
