import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '../pool.ts';
import { findRow, sql } from '../sql.ts';
import { selectDetail } from './incident-words.ts';

/** Incidents that open within this time about the same service, as two sources see it, likely have one cause. */
const TWIN_MINUTES = 15;

/** An incident that people were told of, which likely has the same cause. */
export interface TwinIncident {
  readonly incidentId: string;
  readonly takenBy: string | null;
}

/** Finds the open incident that likely has the cause of this one, told by another source: ours, or one of alarms. Null without one. */
export function findTwin(db: Queryable, incidentId: string): Promise<TwinIncident | null> {
  return findRow<TwinIncident>(db)`
    select t.incident_id::text as "incidentId", t.taken_by as "takenBy" from incidents i join incidents t
        on t.closed_at is null and t.told is not null and t.words is not null and t.incident_id < i.incident_id
       and t.opened_at > i.opened_at - ${TWIN_MINUTES} * interval '1 minute'
       and split_part(t.subject, '/', 1) <> split_part(i.subject, '/', 1)
       and (t.words ->> 'project' = i.words ->> 'project'
              and coalesce(t.words -> 'card' ->> 'environment' = i.words -> 'card' ->> 'environment', true)
            or ${isAmong(sql`i`, sql`t`)} or ${isAmong(sql`t`, sql`i`)})
     where i.incident_id = ${incidentId}::bigint order by t.incident_id limit 1`;
}

/** SQL condition: the service of one incident is among those that the other, of a machine, names. */
function isAmong(one: ReturnType<typeof sql>, other: ReturnType<typeof sql>): ReturnType<typeof sql> {
  return sql`coalesce(${other}.evidence -> 'services' ? ((${one}.words ->> 'project') || '/' || (${one}.words -> 'card' ->> 'environment')), false)`;
}

/** Says in the current language which incident is likely the same, since when, and who looks after it. */
export async function sayTwin(db: Queryable, { incidentId }: TwinIncident): Promise<string> {
  const twin = await findRow<{ detail: string; lastedMs: number; takenBy: string | null }>(db)`
    select ${selectDetail(sql`i`)} as detail, coalesce(u.name, i.taken_by) as "takenBy",
           (extract(epoch from clock_timestamp() - i.opened_at) * 1000)::float8 as "lastedMs"
      from incidents i left join users u on u.user_key = i.taken_by where i.incident_id = ${incidentId}::bigint`;
  if (!twin) return '';
  const { detail, lastedMs, takenBy } = twin;
  return say('alarms.likelySame', {
    detail: toPlainName(detail),
    since: sayDuration(lastedMs),
    taken: takenBy === null ? 'no' : 'yes',
    name: toPlainName(takenBy ?? ''),
  });
}
