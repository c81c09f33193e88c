import type { Queryable } from '../pool.ts';
import { findValue } from '../sql.ts';
import type { Lane } from './lane.ts';

/** Joins what the person typed in this chat in the current turn to one line; null when nothing. Leaves out forwarded messages. */
export function findTypedText(db: Queryable, lane: Lane, chatKey: string): Promise<string | null> {
  return findValue<string | null>(db, null)`
    select nullif(btrim(regexp_replace(string_agg(envelope ->> 'text', ' · ' order by id), '\\s+', ' ', 'g')), '')
      from inbox where user_key = ${lane.userKey} and chat_key = ${chatKey} and kind = 'message' and outcome is null
       and envelope ->> 'borrowed' is null
       and id <= (select taken_to from lanes where user_key = ${lane.userKey} and epoch = ${lane.epoch})`;
}
