import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { Agent, request } from 'undici';
import { readNoAnswer } from '../../http/no-answer.ts';
import { KEY_HEADER } from '../receive/event.ts';
import { sign, SIGNATURE_HEADER, SOURCE_HEADER, TIMESTAMP_HEADER } from '../signature.ts';
import type { Sent } from '../../channel.ts';
import type { Source } from '../sources.ts';

/** A receiver that is well says 200 at once and works afterwards. */
const CONNECT_MS = 5 * SECOND_MS;
const ANSWER_MS = 10 * SECOND_MS;
/** What is read of an answer, which says nothing but its status. */
const READ_BYTES = 16 * 1024;
/** When a receiver asks us to wait and does not say how long. */
const WAIT_MS = 5 * SECOND_MS;
/** It must not hold a message for longer than its sender would believe. */
const LONGEST_WAIT_MS = 3_600 * SECOND_MS;

/** What became of a push, and whether it says that nothing at all gets through there. */
export interface Pushed {
  readonly sent: Sent;
  readonly isOutage: boolean;
}

export type Pusher = ReturnType<typeof createPusher>;

/** Sends messages to callbacks. A connection carries one of them: what happens to it happens to no other. */
export function createPusher() {
  const dispatcher = new Agent({
    pipelining: 0,
    connect: { timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  return {
    /** Posts one message, signed with the source's secret. Redirects are not followed. Never throws. */
    async push(source: Source, url: string, messageId: string, payload: object): Promise<Pushed> {
      const body = JSON.stringify(payload);
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const headers = {
        'content-type': 'application/json',
        [KEY_HEADER]: messageId,
        [SOURCE_HEADER]: source.name,
        [TIMESTAMP_HEADER]: timestamp,
        [SIGNATURE_HEADER]: sign(source.secrets[0], timestamp, body),
      };
      try {
        const answer = await request(url, {
          method: 'POST',
          dispatcher,
          headers,
          body,
          signal: abortAfter(CONNECT_MS + ANSWER_MS),
        });
        // The status is all that counts; a body that breaks off changes nothing.
        await answer.body.dump({ limit: READ_BYTES }).catch(() => undefined);
        return readStatus(answer.statusCode, answer.headers['retry-after'], messageId);
      } catch (error) {
        return { sent: readNoAnswer(error), isOutage: true };
      }
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

function readStatus(status: number, retryAfter: unknown, messageId: string): Pushed {
  const detail = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { sent: { kind: 'sent', messageId }, isOutage: false };
  if (status === 429) return { sent: { kind: 'wait', retryAfterMs: readWait(retryAfter) }, isOutage: false };
  if (status === 408 || status === 425) return { sent: { kind: 'busy', detail }, isOutage: false };
  // What a proxy says of a program that is not there concerns every message; 500 may be about this one.
  if (status >= 500) return { sent: { kind: 'busy', detail }, isOutage: status > 501 && status < 505 };
  return {
    sent: { kind: 'rejected', detail: status < 400 ? `${detail}: no redirect is followed` : detail },
    isOutage: false,
  };
}

/** Seconds, or a date. */
function readWait(header: unknown): number {
  const text = typeof header === 'string' ? header.trim() : '';
  const waitMs = /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, SECOND_MS), LONGEST_WAIT_MS) : WAIT_MS;
}
