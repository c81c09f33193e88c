import { describe, expect, it } from 'vitest';
import { classifySendAnswer } from './failure.ts';

const refusal = (code: number, status = 400, retryAfterMs: number | null = null) => ({
  status,
  body: { error: { message: `(#${code}) no`, type: 'OAuthException', code, error_data: { details: 'why' } } },
  retryAfterMs,
});

describe("a response of Meta's API", () => {
  it.each([
    [131047, 'window-closed'],
    [130429, 'wait'],
    [131056, 'wait'],
    [80007, 'wait'],
    [190, 'account-refused'],
    [368, 'account-refused'],
    [200, 'account-refused'],
    [131000, 'busy'],
    [2, 'busy'],
    [131026, 'rejected'],
    [131030, 'rejected'],
    [100, 'rejected'],
    [999_999, 'rejected'],
  ])('with the error code %i is classified as %s', (code, kind) => {
    expect(classifySendAnswer(refusal(code)).kind).toBe(kind);
  });

  it('is classified by its error code, and by its HTTP status only when the code is unknown', () => {
    expect(classifySendAnswer(refusal(131047, 500)).kind).toBe('window-closed');
    expect([classifySendAnswer(refusal(999_999, 500)).kind, classifySendAnswer(refusal(999_999, 400)).kind]).toEqual([
      'busy',
      'rejected',
    ]);
  });

  it('sets the waiting time to its Retry-After header when that is longer', () => {
    expect(classifySendAnswer(refusal(130429, 429, 90_000))).toEqual({ kind: 'wait', retryAfterMs: 90_000 });
  });

  it('yields the id of the sent message, and without an id counts as ambiguous', () => {
    const body = { messaging_product: 'whatsapp', messages: [{ id: 'wamid.a' }] };
    expect(classifySendAnswer({ status: 200, body, retryAfterMs: null })).toEqual({
      kind: 'sent',
      messageId: 'wamid.a',
    });
    for (const other of [null, {}, { messages: [] }, { messages: [{ id: 7 }] }])
      expect(classifySendAnswer({ status: 200, body: other, retryAfterMs: null }).kind).toBe('ambiguous');
  });

  it('that comes from a proxy means that no message was sent', () => {
    expect(classifySendAnswer({ status: 502, body: null, retryAfterMs: null })).toEqual({
      kind: 'busy',
      detail: 'HTTP 502',
    });
  });
});
