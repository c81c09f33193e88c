import { newId } from '@signalbox/contracts/ids';
import { HOUR_MS } from '@signalbox/contracts/time';
import type { Queryable } from '@signalbox/store/pool';
import { readRow } from '@signalbox/store/sql';
import type { SentEvent } from './event.ts';
import type { RequestHead } from './head.ts';

/** How long an idempotency key names the same event. */
const KEY_TTL_MS = 24 * HOUR_MS;

/** The state of a claimed event; `other body`: the key was used with another body. */
export interface ClaimedEvent {
  readonly eventId: string;
  readonly state: 'new' | 'again' | 'other body';
}

/**
 * Claims an event over all gateways: returns the earlier event of a repeated request, or a new id. Admission stores the
 * event under this id; one that was only claimed is admitted when its sender repeats it.
 */
export async function claimEvent(db: Queryable, head: RequestHead, event: SentEvent): Promise<ClaimedEvent> {
  const { source, signature } = head;
  const { key, bodySha256, callback } = event;
  return readRow<{ eventId: string; state: ClaimedEvent['state'] }>(db, 'ingress_claim')`
    select event as "eventId", state
      from ingress_claim(${source.name}, ${signature}, ${key}, ${bodySha256}, ${newId('evt')}, ${callback}, ${KEY_TTL_MS}::int)`;
}
