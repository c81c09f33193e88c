import { newId } from '@signalbox/contracts/ids';
import { HOUR_MS } from '@signalbox/contracts/time';
import type { Queryable } from '@signalbox/store/pool';
import { readRow } from '@signalbox/store/sql';
import type { SentEvent } from './event.ts';
import type { Head } from './head.ts';

/** So long a key names the same event. */
const KEPT_MS = 24 * HOUR_MS;

/** What a request is: `other body` is a key that names an event with another body. */
export interface ClaimedEvent {
  readonly eventId: string;
  readonly state: 'new' | 'again' | 'other body';
}

/**
 * Finds out whether a request is an event that came before, over all gateways, and names it if not. The event itself is stored by
 * admission, under this id: one that was only named is admitted when its sender repeats it.
 */
export async function claimEvent(db: Queryable, head: Head, event: SentEvent): Promise<ClaimedEvent> {
  const { source, signature } = head;
  const { key, bodySha256, callback } = event;
  return readRow<{ eventId: string; state: ClaimedEvent['state'] }>(db, 'ingress_claim')`
    select event as "eventId", state
      from ingress_claim(${source.name}, ${signature}, ${key}, ${bodySha256}, ${newId('evt')}, ${callback}, ${KEPT_MS}::int)`;
}
