import { GrammyError, HttpError } from 'grammy';
import { expect, test } from 'vitest';
import { classifyFailure, isEntityProblem, ServerDown } from './failure.ts';

const refuse = (code: number, description: string, parameters: object = {}): GrammyError =>
  new GrammyError('x', { ok: false, error_code: code, description, parameters }, 'sendMessage', {});
const fetchFailed = (code: string): HttpError =>
  new HttpError('x', new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));

test.each([
  [refuse(429, 'Too Many Requests: retry after 7', { retry_after: 7 }), { kind: 'wait', retryAfterMs: 7_000 }],
  [refuse(502, 'Bad Gateway'), { kind: 'busy' }],
  [refuse(401, 'Unauthorized'), { kind: 'busy' }],
  [refuse(403, 'Forbidden: bot was blocked by the user'), { kind: 'blocked' }],
  [refuse(403, 'Forbidden: user is deactivated'), { kind: 'blocked' }],
  [refuse(403, 'Forbidden: bot was kicked from the group chat'), { kind: 'blocked' }],
  [refuse(400, 'Bad Request: chat not found'), { kind: 'blocked' }],
  [
    refuse(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100200 }),
    { kind: 'moved', chatKey: 'telegram:-100200' },
  ],
  [refuse(400, 'Bad Request: message to edit not found'), { kind: 'gone' }],
  [refuse(400, 'Bad Request: something new'), { kind: 'rejected', detail: 'Bad Request: something new' }],
  [new HttpError('x', new ServerDown(502)), { kind: 'busy', detail: 'HTTP 502' }],
  [fetchFailed('ECONNREFUSED'), { kind: 'unreachable' }],
  [fetchFailed('ENOTFOUND'), { kind: 'unreachable' }],
  [fetchFailed('UND_ERR_CONNECT_TIMEOUT'), { kind: 'unreachable' }],
  [fetchFailed('UND_ERR_SOCKET'), { kind: 'ambiguous' }],
  [fetchFailed('ECONNRESET'), { kind: 'ambiguous' }],
  [new HttpError('x', new Error('Request to sendMessage timed out after 30 seconds')), { kind: 'ambiguous' }],
])('the error %s of a Telegram call is classified as %o', (error, expected) => {
  expect(classifyFailure(error)).toMatchObject(expected);
});

test('a text whose entities Telegram cannot parse may be sent again as plain text', () => {
  expect(isEntityProblem(classifyFailure(refuse(400, "Bad Request: can't parse entities: x")))).toBe(true);
  expect(isEntityProblem(classifyFailure(refuse(400, 'Bad Request: entity begins after the end of the text')))).toBe(
    true,
  );
  expect(isEntityProblem(classifyFailure(refuse(400, 'Bad Request: message is too long')))).toBe(false);
});
