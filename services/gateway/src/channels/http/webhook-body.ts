import { createHash } from 'node:crypto';
import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter, untilAborted } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import type { Pool } from '@signalbox/store/pool';

/** What is kept of a body, in characters: enough to see what it was meant to be. */
const KEPT = 2_000;

/** What became of a body. Only after the first two its sender may forget it. */
type Given = 'admitted' | 'unreadable' | 'not-stored' | 'nobody';

/**
 * Gives what a webhook brought to `take`, once it is parsed, and what is no JSON to `keep`: it would never become readable. Without
 * `take` nobody listens. The work goes on when it takes longer than `withinMs`; if it ends well after all, what is repeated is a
 * duplicate. Never rejects.
 */
export async function giveJson(
  body: string,
  parts: {
    readonly take: ((json: unknown) => Promise<void>) | null;
    readonly keep: (body: string) => Promise<void>;
    readonly withinMs: number;
    readonly log: Log;
  },
): Promise<Given> {
  const { take, keep, withinMs, log } = parts;
  if (!take) return 'nobody';
  const json = parseJson(body);
  try {
    await untilAborted(json === undefined ? keep(body) : take(json), abortAfter(withinMs));
  } catch (error) {
    log.warn('webhook not taken, it will be repeated', { error });
    return 'not-stored';
  }
  return json === undefined ? 'unreadable' : 'admitted';
}

/** Keeps a webhook's body that is no JSON as a dead letter. Throws when Postgres is away. The same body twice is one letter. */
export async function keepUnreadable(pool: Pool, log: Log, raw: string): Promise<void> {
  const ref = `webhook:${createHash('sha256').update(raw).digest('hex').slice(0, 32)}`;
  // Postgres stores neither NUL nor half of a character that was cut.
  const body = { raw: Buffer.from(raw.slice(0, KEPT).replaceAll('\u0000', '')).toString() };
  await putDeadLetter(pool, { source: 'inbound', ref, userKey: null, reason: 'not JSON', body });
  log.error('the webhook got a body that is no JSON, see dead letters', { ref });
}
