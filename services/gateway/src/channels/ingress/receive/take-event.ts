import { say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS, abortAfter, untilAborted } from '@signalbox/contracts/time';
import type { Pool } from '@signalbox/store/pool';
import type { Incoming } from '../../channel.ts';
import { mayWrite } from '../accounts.ts';
import { claimEvent } from './claim.ts';
import { readEvent, toIncoming } from './event.ts';
import type { Head } from './head.ts';
import type { createSourceLimit } from './rate-limit.ts';

/** Most clients wait 30 s for an answer. One that has none by now is told to repeat the request. */
const ANSWER_MS = 25 * SECOND_MS;
/** Said with 503: the database is back, or another gateway is there, within seconds. */
const RETRY_SECONDS = 3;

/** What a genuine request is answered. */
export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

/** Admits events; resolves once they are committed. */
export type Sink = (events: readonly Incoming[]) => Promise<void>;

/** What answering needs. */
export interface RequestParts {
  readonly pool: Pool;
  readonly limit: ReturnType<typeof createSourceLimit>;
  readonly log: Log;
}

/** Takes in an event whose signature is right. The answer 200 means that it is stored. Never throws. */
export async function takeEvent(
  parts: RequestParts & { readonly sink: Sink | null },
  head: Head,
  raw: Buffer,
  keyHeader: unknown,
): Promise<Answered> {
  const { pool, limit, log, sink } = parts;
  const { source } = head;
  const waitSeconds = await limit.check(source.name, 'events');
  if (waitSeconds !== null) return tooMany(waitSeconds);
  const event = readEvent(source, raw, keyHeader);
  if (typeof event === 'string') return { status: 400, body: { error: event } };
  if (!sink) return askAgain();
  return inTime(log, async () => {
    if (!(await mayWrite(pool, source))) return forbidden();
    const { eventId, state } = await claimEvent(pool, head, event);
    if (state === 'other body')
      return { status: 409, body: { error: say('ingress.key-reused', { key: event.key ?? '', id: eventId }) } };
    // Also when it came before: the gateway that named it may have ended before it was stored.
    await sink([toIncoming(source, eventId, event)]);
    return { status: 200, body: { id: eventId, status: 'accepted' } };
  });
}

/** Answers within the time that clients have. The work goes on in any case: if it ends well after all, the repeated event is the same one. */
export async function inTime(log: Log, work: () => Promise<Answered>): Promise<Answered> {
  try {
    return await untilAborted(work(), abortAfter(ANSWER_MS));
  } catch (error) {
    log.warn('ingress request not answered, its sender is to repeat it', { error });
    return askAgain();
  }
}

export function forbidden(): Answered {
  return { status: 403, body: { error: say('ingress.no-role') } };
}

export function tooMany(retryAfterSeconds: number): Answered {
  const error = say('ingress.too-many', { seconds: retryAfterSeconds });
  return { status: 429, body: { error }, retryAfterSeconds };
}

function askAgain(): Answered {
  return { status: 503, body: { error: say('ingress.away') }, retryAfterSeconds: RETRY_SECONDS };
}
