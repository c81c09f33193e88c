import type { Queryable } from '@signalbox/store/pool';
import { findRow } from '@signalbox/store/sql';
import { toUserKey } from '../chat-key.ts';

/** What a message needs to be sent, besides its words. */
export interface SentRow {
  readonly at: Date;
  readonly isProgress: boolean;
  /** The event that it answers; null when none of this source's is known. */
  readonly eventId: string | null;
  /** Where that event's answers go; null when they are read. */
  readonly callback: string | null;
}

/**
 * Looks a row up, with the newest event that it answers: the row carries the turn or the trace of that event. Null when there is no such
 * row.
 */
export function findSentRow(db: Queryable, source: string, outboxId: number): Promise<SentRow | null> {
  const userKey = toUserKey(source);
  return findRow<SentRow>(db, 'ingress_sent_row')`
    select o.created_at as at, e.event_id as "eventId", e.callback,
           o.slot is not null and not coalesce((o.body ->> 'onlyChanges')::boolean, false) as "isProgress"
      from outbox o
      left join lateral (
        select v.event_id, v.callback from inbox i
          join ingress_events v on v.event_id = i.update_id
         where i.user_key like 'ingress-%' and i.user_key = ${userKey} and i.channel = 'ingress'
           and (i.trace_id = o.trace_id or i.turn_id = o.turn_id)
         order by i.id desc limit 1) e on true
     where o.id = ${outboxId}`;
}
