import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '../pool.ts';
import { listRows, sql } from '../sql.ts';
import { selectDetail, selectPlace } from './incident-words.ts';

/** An open incident, with what became of it. */
export interface IncidentState {
  readonly incidentId: string;
  readonly subject: string;
  readonly kind: string;
  readonly detail: string;
  /** Where it is, when its sentence does not say it. */
  readonly place: string | null;
  readonly openedAt: Date;
  /** How often it was heard. */
  readonly times: number;
  /** Names of who was told of it, and who looks after it. */
  readonly told: string | null;
  readonly takenBy: string | null;
  readonly silencedUntil: Date | null;
}

/** Lists open incidents, the newest first. */
export function listIncidentStates(db: Queryable, limit: number): Promise<readonly IncidentState[]> {
  return listRows<IncidentState>(db)`
    select i.incident_id::text as "incidentId", i.subject, i.kind, ${selectDetail(sql`i`)} as detail, ${selectPlace(sql`i`)} as place,
           i.opened_at as "openedAt", i.repeats + i.flaps + 1 as times,
           coalesce(t.name, i.told) as told, coalesce(u.name, i.taken_by) as "takenBy",
           case when i.silenced_until > clock_timestamp() then i.silenced_until end as "silencedUntil"
      from incidents i left join users u on u.user_key = i.taken_by left join users t on t.user_key = i.told
     where i.closed_at is null order by i.opened_at desc, i.incident_id desc limit ${limit}`;
}

/** One line about an open incident: where, what, since when, how often, and who looks after it. */
export function describeOpenIncident(
  {
    place,
    detail,
    openedAt,
    times,
    takenBy,
  }: Pick<IncidentState, 'place' | 'detail' | 'openedAt' | 'times' | 'takenBy'>,
  now: Date,
): string {
  return say('alarms.open', {
    hasPlace: place === null ? 'no' : 'yes',
    place: toPlainName(place ?? ''),
    detail: toPlainName(detail),
    since: sayDuration(Math.max(0, now.getTime() - openedAt.getTime())),
    times,
    taken: takenBy === null ? 'no' : 'yes',
    name: toPlainName(takenBy ?? ''),
  });
}
