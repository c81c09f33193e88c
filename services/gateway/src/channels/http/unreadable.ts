import { createHash } from 'node:crypto';
import type { Log } from '@signalbox/platform/log';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import type { Pool } from '@signalbox/store/pool';

/** What is kept of a body, in characters: enough to see what it was meant to be. */
const KEPT = 2_000;

/** Keeps a webhook's body that is no JSON as a dead letter. Throws when Postgres is away. The same body twice is one letter. */
export async function keepUnreadable(pool: Pool, log: Log, raw: string): Promise<void> {
  const ref = `webhook:${createHash('sha256').update(raw).digest('hex').slice(0, 32)}`;
  // Postgres stores neither NUL nor half of a character that was cut.
  const body = { raw: Buffer.from(raw.slice(0, KEPT).replaceAll('\u0000', '')).toString() };
  await putDeadLetter(pool, { source: 'inbound', ref, userKey: null, reason: 'not JSON', body });
  log.error('the webhook got a body that is no JSON, see dead letters', { ref });
}
