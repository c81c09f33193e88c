import { z } from 'zod';
import { allowedUpdates, integer, parseParameters, type Parameters } from './bot-parameters.ts';
import type { Store } from '../store/store.ts';

/** Telegram's maximum duration of a long poll. */
const MAX_POLL_SECONDS = 50;
const MAX_BATCH = 100;
const GetUpdates = z.object({
  offset: integer('offset must be an Integer').default(0),
  limit: integer('limit must be an Integer').default(MAX_BATCH),
  timeout: integer('timeout must be an Integer').default(0),
  allowed_updates: allowedUpdates,
});

/** getUpdates: polls for at most 50 seconds; the signal ends it with an empty list. */
export function getUpdates(store: Store, parameters: Parameters, signal: AbortSignal): Promise<readonly unknown[]> {
  const given = parseParameters(GetUpdates, parameters);
  return store.updates.poll({
    offset: given.offset,
    limit: given.limit >= 1 && given.limit <= MAX_BATCH ? given.limit : MAX_BATCH,
    timeoutMs: Math.min(Math.max(given.timeout, 0), MAX_POLL_SECONDS) * 1000,
    allowedUpdates: given.allowed_updates,
    signal,
  });
}
