import { createLog } from '@signalbox/platform/log';
import { GrammyError } from 'grammy';
import { describe, expect, test } from 'vitest';
import type { SendResult } from '../../channel.ts';
import type { TelegramApi } from '../client.ts';
import type { TelegramPart } from './encode.ts';
import { parseRef } from '../message-ref.ts';
import { createEphemeralSender, findEphemeralReader, type SendPart, type EphemeralReader } from './whisper.ts';

const GROUP = 'telegram:-2001/101';
const PART: TelegramPart = { form: 'text', text: 'the secret', entities: [], keyboard: [], replyTo: 7 };
const WHISPER: EphemeralReader = { userId: 1001, answers: null, isFirst: true };

const answered = (code: number): GrammyError =>
  new GrammyError('no', { ok: false, error_code: code, description: 'Bad Request' }, 'deleteEphemeralMessage', {});

/** Runs a whisperer and records where each text was sent; `probe` is the server's answer to the probed method. */
function start(answers: { whisper?: SendResult; private?: SendResult; probe?: Error } = {}) {
  const sent: [string, string, boolean][] = [];
  const deleted: number[] = [];
  const send: SendPart = async (chatKey, part, firstLine, whisper) => {
    const text = part.form === 'text' ? part.text : part.form;
    sent.push([chatKey, firstLine === null ? text : `${firstLine} ${text}`, whisper !== null]);
    if (whisper) return answers.whisper ?? { kind: 'sent', messageId: 'w1001:5' };
    if (chatKey === 'telegram:1001') return answers.private ?? { kind: 'sent', messageId: '55' };
    return { kind: 'sent', messageId: '9' };
  };
  const api = {
    deleteEphemeralMessage: async () => {
      throw answers.probe ?? answered(400);
    },
    deleteMessage: async (_chat: number, id: number) => void deleted.push(id),
  } as unknown as TelegramApi; // all that is called of it
  return { whisper: createEphemeralSender({ api, log: createLog('test', 'silent'), send }), sent, deleted };
}

describe('a message for one person of a group', () => {
  test('is sent as an ephemeral message where Telegram allows it', async () => {
    const { whisper, sent } = start();
    expect(await whisper(GROUP, PART, null, WHISPER)).toEqual({ kind: 'sent', messageId: 'w1001:5' });
    expect(sent).toEqual([[GROUP, 'the secret', true]]);
  });

  test("goes to the person's private chat with an explanation when Telegram refuses an ephemeral message", async () => {
    const { whisper, sent } = start({ whisper: { kind: 'rejected', detail: 'BOT_NOT_ADMIN' } });
    expect(await whisper(GROUP, PART, null, WHISPER)).toEqual({ kind: 'sent', messageId: 'p1001:55' });
    expect(sent[1]).toEqual(['telegram:1001', '(sent to you alone, not to the group) the secret', false]);
  });

  test('is never shown to the group, even when the private chat is blocked', async () => {
    const refused = {
      whisper: { kind: 'rejected', detail: 'no' },
      private: { kind: 'blocked', reason: 'no' },
    } as const;
    const { whisper, sent } = start(refused);
    expect(await whisper(GROUP, PART, null, WHISPER)).toEqual({ kind: 'sent', messageId: '9' });
    expect(await whisper(GROUP, PART, null, { ...WHISPER, isFirst: false })).toEqual({
      kind: 'sent',
      messageId: 'none',
    });
    const shown = sent.filter(([chatKey, , alone]) => chatKey === GROUP && !alone).map(([, text]) => text);
    expect(shown).toEqual([expect.stringMatching(/^My answer is for you alone/)]);
  });

  test('is not sent to the group by a server without ephemeral messages', async () => {
    const { whisper, sent } = start({ probe: answered(404) });
    await whisper(GROUP, PART, null, WHISPER);
    await whisper(GROUP, PART, null, WHISPER);
    expect(sent.map(([chatKey]) => chatKey)).toEqual(['telegram:1001', 'telegram:1001']);
  });

  test('is deleted when Telegram showed it to everybody, and later messages go to the private chat', async () => {
    const { whisper, sent, deleted } = start({ whisper: { kind: 'sent', messageId: '77' } });
    expect(await whisper(GROUP, PART, null, WHISPER)).toEqual({ kind: 'sent', messageId: 'p1001:55' });
    await whisper(GROUP, PART, null, WHISPER);
    expect(deleted).toEqual([77]);
    expect(sent.map(([, , alone]) => alone)).toEqual([true, false, false]);
  });

  test.each([
    [{ kind: 'wait', retryAfterMs: 1_000 }],
    [{ kind: 'ambiguous', detail: 'no answer' }],
    [{ kind: 'busy', detail: '502' }],
    [{ kind: 'blocked', reason: 'kicked' }],
  ] as const)('is not sent to the private chat when the outcome is %j', async (outcome) => {
    const { whisper, sent } = start({ whisper: outcome });
    expect(await whisper(GROUP, PART, null, WHISPER)).toEqual(outcome);
    expect(sent).toHaveLength(1);
  });

  test('is retried later while it is unknown whether the server supports ephemeral messages', async () => {
    const { whisper, sent } = start({ probe: answered(502) });
    expect((await whisper(GROUP, PART, null, WHISPER)).kind).toBe('busy');
    expect(sent).toEqual([]);
  });
});

test('findEphemeralReader names a reader only for a message to one person in a group', () => {
  const body = { text: 'x', buttons: [], onlyFor: '1001', replyTo: 'e12' };
  expect(findEphemeralReader(body, GROUP, 0)).toEqual({ userId: 1001, answers: 12, isFirst: true });
  expect(findEphemeralReader({ ...body, replyTo: '12' }, GROUP, 1)).toEqual({
    userId: 1001,
    answers: null,
    isFirst: false,
  });
  expect(findEphemeralReader(body, 'telegram:1001', 0)).toBeNull();
  expect(findEphemeralReader({ text: 'x', buttons: [] }, GROUP, 0)).toBeNull();
});

test('parseRef reads the chat and message from a stored message id', () => {
  expect(parseRef(GROUP, '9')).toEqual({ kind: 'message', chatId: -2001, id: 9 });
  expect(parseRef(GROUP, 'w1001:5')).toEqual({ kind: 'whisper', chatId: -2001, userId: 1001, id: 5 });
  expect(parseRef(GROUP, 'p1001:5')).toEqual({ kind: 'message', chatId: 1001, id: 5 });
  for (const nothing of ['none', '', 'x9', 'w:5']) expect(parseRef(GROUP, nothing)).toEqual({ kind: 'none' });
});
