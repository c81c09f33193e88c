import { beforeEach, describe, expect, test } from 'vitest';
import { CallbackGate } from './callback-gate.ts';
import type { Pushed } from './push.ts';

let nowMs: number;
let gate: CallbackGate;
let pushes: number;
beforeEach(() => {
  nowMs = 0;
  pushes = 0;
  gate = new CallbackGate(() => nowMs);
});

const SENT: Pushed = { sent: { kind: 'sent', messageId: 'msg_1' }, isOutage: false };
const AWAY: Pushed = { sent: { kind: 'ambiguous', detail: 'no answer' }, isOutage: true };
const through = (pushed: Pushed) =>
  gate.through(async () => {
    pushes += 1;
    return pushed;
  });

describe('the gate of a callback', () => {
  test('lets everything through while it is well', async () => {
    for (let n = 0; n < 20; n += 1) expect(await through(SENT)).toEqual(SENT.sent);
    expect(pushes).toBe(20);
  });

  test('is closed after a failure, so that the next message waits without a try', async () => {
    expect(await through(AWAY)).toEqual(AWAY.sent);
    const next = await through(SENT);
    expect(next).toMatchObject({ kind: 'wait', retryAfterMs: expect.any(Number) as number });
    expect(pushes).toBe(1);
    nowMs += 1_001;
    expect(await through(SENT)).toEqual(SENT.sent);
  });

  test('wears no message out once it is known that nothing gets through, and closes for at most a minute', async () => {
    const kinds: string[] = [];
    const waits: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const sent = await through(AWAY);
      kinds.push(sent.kind);
      if (sent.kind === 'wait') waits.push(sent.retryAfterMs);
      nowMs += 60_001;
    }
    expect(kinds.slice(0, 2)).toEqual(['ambiguous', 'ambiguous']);
    expect(new Set(kinds.slice(2))).toEqual(new Set(['wait']));
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    expect(pushes).toBe(12);
  });

  test('is closed for as long as its receiver asks', async () => {
    const asked: Pushed = { sent: { kind: 'wait', retryAfterMs: 30_000 }, isOutage: false };
    expect(await through(asked)).toEqual(asked.sent);
    nowMs += 29_000;
    expect(await through(SENT)).toEqual({ kind: 'wait', retryAfterMs: 1_000 });
    nowMs += 1_000;
    expect(await through(SENT)).toEqual(SENT.sent);
  });

  test('lets one message try after a failure, while the others wait', async () => {
    await through(AWAY);
    nowMs += 1_001;
    let answer: (pushed: Pushed) => void = () => undefined;
    const trying = gate.through(() => new Promise<Pushed>((resolve) => (answer = resolve)));
    expect(await through(SENT)).toMatchObject({ kind: 'wait' });
    answer(SENT);
    expect(await trying).toEqual(SENT.sent);
    expect(await through(SENT)).toEqual(SENT.sent);
  });

  test('forgets failures when a message gets through, also one that is refused', async () => {
    const refused: Pushed = { sent: { kind: 'rejected', detail: 'HTTP 422' }, isOutage: false };
    for (let n = 0; n < 4; n += 1) {
      expect(await through(AWAY)).toEqual(AWAY.sent);
      nowMs += 60_001;
      expect(await through(refused)).toEqual(refused.sent);
    }
  });
});
