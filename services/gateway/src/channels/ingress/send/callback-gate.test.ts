import { beforeEach, describe, expect, test } from 'vitest';
import { CallbackCircuitBreaker } from './callback-gate.ts';
import type { PushResult } from './push.ts';

let nowMs: number;
let gate: CallbackCircuitBreaker;
let pushes: number;
beforeEach(() => {
  nowMs = 0;
  pushes = 0;
  gate = new CallbackCircuitBreaker(() => nowMs);
});

const SENT: PushResult = { sent: { kind: 'sent', messageId: 'msg_1' }, isOutage: false };
const OUTAGE: PushResult = { sent: { kind: 'ambiguous', detail: 'no answer' }, isOutage: true };
const sendThrough = (pushed: PushResult) =>
  gate.send(async () => {
    pushes += 1;
    return pushed;
  });

describe('the gate before a callback address', () => {
  test('lets every message through while the callback address answers', async () => {
    for (let n = 0; n < 20; n += 1) expect(await sendThrough(SENT)).toEqual(SENT.sent);
    expect(pushes).toBe(20);
  });

  test('holds the next message back after a failure, without a request', async () => {
    expect(await sendThrough(OUTAGE)).toEqual(OUTAGE.sent);
    const next = await sendThrough(SENT);
    expect(next).toMatchObject({ kind: 'wait', retryAfterMs: expect.any(Number) as number });
    expect(pushes).toBe(1);
    nowMs += 1_001;
    expect(await sendThrough(SENT)).toEqual(SENT.sent);
  });

  test('holds messages back for at most a minute in an outage, and counts no attempts for them', async () => {
    const kinds: string[] = [];
    const waits: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const sent = await sendThrough(OUTAGE);
      kinds.push(sent.kind);
      if (sent.kind === 'wait') waits.push(sent.retryAfterMs);
      nowMs += 60_001;
    }
    expect(kinds.slice(0, 2)).toEqual(['ambiguous', 'ambiguous']);
    expect(new Set(kinds.slice(2))).toEqual(new Set(['wait']));
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    expect(pushes).toBe(12);
  });

  test("holds messages back for as long as the receiver's Retry-After says", async () => {
    const asked: PushResult = { sent: { kind: 'wait', retryAfterMs: 30_000 }, isOutage: false };
    expect(await sendThrough(asked)).toEqual(asked.sent);
    nowMs += 29_000;
    expect(await sendThrough(SENT)).toEqual({ kind: 'wait', retryAfterMs: 1_000 });
    nowMs += 1_000;
    expect(await sendThrough(SENT)).toEqual(SENT.sent);
  });

  test('lets one message through as a trial after a failure, while other messages wait', async () => {
    await sendThrough(OUTAGE);
    nowMs += 1_001;
    let answer: (pushed: PushResult) => void = () => undefined;
    const trying = gate.send(() => new Promise<PushResult>((resolve) => (answer = resolve)));
    expect(await sendThrough(SENT)).toMatchObject({ kind: 'wait' });
    answer(SENT);
    expect(await trying).toEqual(SENT.sent);
    expect(await sendThrough(SENT)).toEqual(SENT.sent);
  });

  test('forgets earlier failures as soon as the receiver answers a message, even with a refusal', async () => {
    const refused: PushResult = { sent: { kind: 'rejected', detail: 'HTTP 422' }, isOutage: false };
    for (let n = 0; n < 4; n += 1) {
      expect(await sendThrough(OUTAGE)).toEqual(OUTAGE.sent);
      nowMs += 60_001;
      expect(await sendThrough(refused)).toEqual(refused.sent);
    }
  });
});
