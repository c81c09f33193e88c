import { createLog } from '@signalbox/platform/log';
import { GrammyError, HttpError } from 'grammy';
import { describe, expect, test } from 'vitest';
import type { TelegramPart } from './encode.ts';
import { ServerDown } from '../failure.ts';
import { createFallbackSender, type SendWithFallback } from './part-attempt.ts';

const rich: TelegramPart = { form: 'rich', blocks: [], rightToLeft: false, keyboard: [], replyTo: null };
const text: TelegramPart = {
  form: 'text',
  text: '@ada_l `x`',
  entities: [{ type: 'code', offset: 7, length: 1 }],
  keyboard: [],
  replyTo: null,
};
const refuse = (code: number, description: string): GrammyError =>
  new GrammyError('x', { ok: false, error_code: code, description }, 'sendRichMessage', {});

/** A server that returns these errors in turn, then accepts everything, and records its calls. */
function createServer(...answers: readonly Error[]): {
  readonly calls: TelegramPart[];
  readonly attempt: (part: TelegramPart) => ReturnType<SendWithFallback>;
} {
  const calls: TelegramPart[] = [];
  const attempt = createFallbackSender({ log: createLog('test', 'silent'), richMessages: true });
  const call = async (part: TelegramPart): Promise<string> => {
    const answer = answers[calls.push(part) - 1];
    if (answer) throw answer;
    return '9';
  };
  return { calls, attempt: (part) => attempt(part, call) };
}

describe('a Telegram server without rich messages', () => {
  test.each([
    [404, 'Not Found: method not found'],
    [404, 'Not Found'],
    [400, 'Bad Request: method not found'],
    [400, 'Bad Request: message text is empty'],
    [501, 'Not Implemented'],
  ])('gets no second rich message after it answered with %i %s', async (code, description) => {
    const server = createServer(refuse(code, description));
    expect(await server.attempt(rich)).toMatchObject({ kind: 'too-rich' });
    expect(await server.attempt(rich)).toMatchObject({ kind: 'too-rich' });
    expect(server.calls).toHaveLength(1);
    expect(await server.attempt(text)).toEqual({ kind: 'sent', messageId: '9' });
  });

  test('gets three rich messages at most when it answers with an unknown error', async () => {
    const server = createServer(...Array.from({ length: 5 }, () => refuse(400, 'Bad Request: BLOCKS_INVALID')));
    for (let n = 0; n < 5; n += 1) expect(await server.attempt(rich)).toMatchObject({ kind: 'too-rich' });
    expect(server.calls).toHaveLength(3);
  });
});

test('rich messages are still sent to a server that has refused two of them', async () => {
  const refusal = refuse(400, 'Bad Request: BLOCKS_INVALID');
  const server = createServer(refusal, refusal);
  const kinds = [];
  for (let n = 0; n < 4; n += 1) kinds.push((await server.attempt(rich)).kind);
  expect(kinds).toEqual(['too-rich', 'too-rich', 'sent', 'sent']);
});

test("a proxy's error page does not stop rich messages to a server", async () => {
  const server = createServer(new HttpError('x', new ServerDown(404)));
  expect(await server.attempt(rich)).toMatchObject({ kind: 'too-rich' });
  expect(await server.attempt(rich)).toMatchObject({ kind: 'sent' });
});

test.each([
  [refuse(429, 'Too Many Requests: retry after 3'), 'wait'],
  [refuse(403, 'Forbidden: bot was blocked by the user'), 'blocked'],
  [refuse(400, 'Bad Request: chat not found'), 'blocked'],
  [refuse(400, 'Bad Request: message to edit not found'), 'gone'],
  [refuse(400, 'Bad Request: message is not modified: x'), 'rejected'],
  [refuse(400, 'Bad Request: not enough rights to send text messages to the chat'), 'rejected'],
  [refuse(502, 'Bad Gateway'), 'busy'],
  [new HttpError('x', new ServerDown(502)), 'busy'],
  [new HttpError('x', new Error('timed out')), 'ambiguous'],
])('the error %s does not count as a refusal of rich messages', async (error, kind) => {
  const server = createServer(error);
  expect(await server.attempt(rich)).toMatchObject({ kind });
  expect(await server.attempt(rich)).toMatchObject({ kind: 'sent' });
});

test('a text whose entities are refused is sent again without them, and its mentions are escaped', async () => {
  const server = createServer(refuse(400, "Bad Request: can't parse entities: x"));
  expect(await server.attempt(text)).toMatchObject({ kind: 'sent' });
  expect(server.calls[1]).toMatchObject({ text: '＠ada_l `x`', entities: [] });
});

test('a plain text that is refused is not sent again', async () => {
  const server = createServer(
    refuse(400, "Bad Request: can't parse entities: x"),
    refuse(400, "Bad Request: can't parse entities: x"),
  );
  expect(await server.attempt(text)).toMatchObject({ kind: 'rejected' });
  expect(server.calls).toHaveLength(2);
});
