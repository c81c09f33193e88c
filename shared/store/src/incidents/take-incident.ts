import type { Queryable } from '../pool.ts';
import { findRow, findValue } from '../sql.ts';
import { SILENCE_MS } from './incident-cards.ts';

/** Records that a person looks after an open incident; the first one stays. Null when it is over. Idempotent. */
export function takeIncident(
  db: Queryable,
  incidentId: string,
  userKey: string,
): Promise<{ readonly takenBy: string; readonly isNew: boolean } | null> {
  return findRow<{ takenBy: string; isNew: boolean }>(db)`
    select taken_by as "takenBy", is_new as "isNew" from incident_take(${incidentId}::bigint, ${userKey})`;
}

/** Silences an incident for an hour. False for an unknown one. */
export function muteIncident(db: Queryable, incidentId: string): Promise<boolean> {
  return findValue(db, false)`select incident_silence(${incidentId}::bigint, ${SILENCE_MS}::int)`;
}
