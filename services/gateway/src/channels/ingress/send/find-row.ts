import type { Queryable } from '@signalbox/store/pool';
import { findRow } from '@signalbox/store/sql';
import { toUserKey } from '../chat-key.ts';

/** What a message needs to be sent, besides its words. */
export interface SentRow {
  readonly at: Date;
  readonly isProgress: boolean;
  /** The events that it answers, oldest first: those of one conversation that came together share a turn. Empty: none is known. */
  readonly events: readonly AnsweredEvent[];
}

export interface AnsweredEvent {
  readonly eventId: string;
  /** Where its answers go; null when they are read. */
  readonly callback: string | null;
}

/** Looks a row up, with the events that it answers: the row carries their turn or their trace. Null when there is no such row. */
export function findSentRow(db: Queryable, source: string, outboxId: number): Promise<SentRow | null> {
  const userKey = toUserKey(source);
  return findRow<SentRow>(db, 'ingress_sent_row')`
    select o.created_at as at, o.slot is not null and not coalesce((o.body ->> 'onlyChanges')::boolean, false) as "isProgress",
           coalesce((
             select json_agg(json_build_object('eventId', v.event_id, 'callback', v.callback) order by i.id) from inbox i
               join ingress_events v on v.event_id = i.update_id
              where i.user_key like 'ingress-%' and i.user_key = ${userKey} and i.channel = 'ingress'
                and (i.trace_id = o.trace_id or i.turn_id = o.turn_id)), '[]') as events
      from outbox o
     where o.id = ${outboxId}`;
}
