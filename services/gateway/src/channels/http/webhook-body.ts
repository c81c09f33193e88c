import { createHash } from 'node:crypto';
import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter, waitOrAbort } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import type { Pool } from '@signalbox/store/pool';
import { removeUnstorable } from '../text/clean-text.ts';

/** Characters stored of an unreadable body. */
const MAX_STORED_LENGTH = 2_000;

/**
 * Passes a webhook's JSON to `take` (null while nobody listens) or another body to `keep`. Work beyond `withinMs` continues: a repeated
 * request is a duplicate. Never rejects.
 */
export async function handleWebhookBody(
  body: string,
  parts: {
    readonly take: ((json: unknown) => Promise<void>) | null;
    readonly keep: (body: string) => Promise<void>;
    readonly withinMs: number;
    readonly log: Log;
  },
): Promise<'admitted' | 'unreadable' | 'not-stored' | 'nobody'> {
  const { take, keep, withinMs, log } = parts;
  if (!take) return 'nobody';
  const json = parseJson(body);
  try {
    await waitOrAbort(json === undefined ? keep(body) : take(json), abortAfter(withinMs));
  } catch (error) {
    log.warn('webhook not taken, it will be repeated', { error });
    return 'not-stored';
  }
  return json === undefined ? 'unreadable' : 'admitted';
}

/** Stores an invalid body as a dead letter, once per body. Throws when Postgres is away. */
export async function storeUnreadable(pool: Pool, log: Log, raw: string): Promise<void> {
  const ref = `webhook:${createHash('sha256').update(raw).digest('hex').slice(0, 32)}`;
  const body = { raw: removeUnstorable(raw.slice(0, MAX_STORED_LENGTH)) };
  await putDeadLetter(pool, { source: 'inbound', ref, userKey: null, reason: 'not JSON', body });
  log.error('the webhook got a body that is no JSON, see dead letters', { ref });
}
