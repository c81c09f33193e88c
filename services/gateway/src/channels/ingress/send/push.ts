import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { Agent, request } from 'undici';
import { classifyRequestFailure } from '../../http/no-answer.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../receive/event.ts';
import { signContent, SIGNATURE_HEADER, SOURCE_HEADER, TIMESTAMP_HEADER } from '../signature.ts';
import type { SendResult } from '../../channel.ts';
import type { IngressSource } from '../sources.ts';

/** Short, since a healthy receiver answers 200 at once and works afterwards. */
const CONNECT_MS = 5 * SECOND_MS;
const ANSWER_MS = 10 * SECOND_MS;
/** Only the status of an answer counts; at most this much of its body is read. */
const MAX_READ_BYTES = 16 * 1024;
/** The wait when a receiver asks for one without saying how long. */
const WAIT_MS = 5 * SECOND_MS;
/** The longest wait that a receiver may ask for. */
const MAX_WAIT_MS = 3_600 * SECOND_MS;

/** The result of a push. `isOutage`: no message gets through to this callback. */
export interface PushResult {
  readonly sent: SendResult;
  readonly isOutage: boolean;
}

/** A message on its way to a callback. */
export interface Push {
  readonly messageId: string;
  readonly payload: object;
  /** The trace in which the receiver may go on; null when it is not known. */
  readonly traceparent: string | null;
}

export type Pusher = ReturnType<typeof createPusher>;

/** Sends messages to callbacks. Each connection carries one message, so failures do not spread. */
export function createPusher() {
  const dispatcher = new Agent({
    pipelining: 0,
    connect: { timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  return {
    /** Posts one message, signed with the source's secret. Follows no redirects. Never throws. */
    async push(source: IngressSource, url: string, { messageId, payload, traceparent }: Push): Promise<PushResult> {
      const body = JSON.stringify(payload);
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const headers = {
        'content-type': 'application/json',
        [IDEMPOTENCY_KEY_HEADER]: messageId,
        [SOURCE_HEADER]: source.name,
        [TIMESTAMP_HEADER]: timestamp,
        [SIGNATURE_HEADER]: signContent(source.secrets[0], timestamp, body),
        ...(traceparent === null ? {} : { traceparent }),
      };
      try {
        const answer = await request(url, {
          method: 'POST',
          dispatcher,
          headers,
          body,
          signal: abortAfter(CONNECT_MS + ANSWER_MS),
        });
        await answer.body.dump({ limit: MAX_READ_BYTES }).catch(() => undefined);
        return toPushResult(answer.statusCode, answer.headers['retry-after'], messageId);
      } catch (error) {
        return { sent: classifyRequestFailure(error), isOutage: true };
      }
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

function toPushResult(status: number, retryAfter: unknown, messageId: string): PushResult {
  const detail = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { sent: { kind: 'sent', messageId }, isOutage: false };
  if (status === 429) return { sent: { kind: 'wait', retryAfterMs: parseRetryAfter(retryAfter) }, isOutage: false };
  if (status === 408 || status === 425) return { sent: { kind: 'busy', detail }, isOutage: false };
  // 502 to 504 come from a proxy and concern every message; 500 may concern this message only.
  if (status >= 500) return { sent: { kind: 'busy', detail }, isOutage: status > 501 && status < 505 };
  return {
    sent: { kind: 'rejected', detail: status < 400 ? `${detail}: no redirect is followed` : detail },
    isOutage: false,
  };
}

/** Parses seconds or a date into milliseconds. */
function parseRetryAfter(header: unknown): number {
  const text = typeof header === 'string' ? header.trim() : '';
  const waitMs = /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, SECOND_MS), MAX_WAIT_MS) : WAIT_MS;
}
