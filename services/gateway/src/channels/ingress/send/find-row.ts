import type { Queryable } from '@signalbox/store/pool';
import { findRow } from '@signalbox/store/sql';
import { toUserKey } from '../chat-key.ts';

/** Data to send a message, besides its content. */
export interface SentRow {
  readonly at: Date;
  readonly isProgress: boolean;
  /** The events that it answers, oldest first (events of one turn share the answer); empty when unknown. */
  readonly events: readonly AnsweredEvent[];
}

export interface AnsweredEvent {
  readonly eventId: string;
  /** The callback for answers; null when they are polled. */
  readonly callback: string | null;
}

/**
 * An outbox row with the events that it answers; null when there is none. Rows name their turn and the trace of its
 * first event. Messages before the end of a turn belong to the events that the turn has taken.
 */
export function findSentRow(db: Queryable, source: string, outboxId: number): Promise<SentRow | null> {
  const userKey = toUserKey(source);
  return findRow<SentRow>(db, 'ingress_sent_row')`
    with row as (
      select o.created_at, o.slot is not null and not coalesce((o.body ->> 'onlyChanges')::boolean, false) as is_progress, o.trace_id, o.turn_id
        from outbox o where o.id = ${outboxId}),
    known as (
      select i.id, i.chat_key, i.outcome, i.turn_id from inbox i, row
       where i.user_key like 'ingress-%' and i.user_key = ${userKey} and i.channel = 'ingress'
         and (i.trace_id = row.trace_id or i.turn_id = row.turn_id)),
    answered as (
      select id from known
       union select i.id from inbox i join known k on k.turn_id = i.turn_id where i.user_key like 'ingress-%' and i.user_key = ${userKey}
       union select i.id from inbox i join known k on k.outcome is null and k.chat_key = i.chat_key and k.id < i.id
               join lanes l on l.user_key = i.user_key and l.begun > 0 and i.id <= l.taken_to
              where i.user_key = ${userKey} and i.outcome is null)
    select row.created_at as at, row.is_progress as "isProgress",
           coalesce((
             select json_agg(json_build_object('eventId', v.event_id, 'callback', v.callback) order by i.id) from answered a
               join inbox i on i.id = a.id join ingress_events v on v.event_id = i.update_id), '[]') as events
      from row`;
}
