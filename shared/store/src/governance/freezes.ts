import { findZone, listNextRuns, resolveWhen } from '@signalbox/messages/schedule/next-runs';
import { readEndTime } from '@signalbox/messages/schedule/read-end';
import type { Queryable } from '../pool.ts';
import { findValue, readRow, sql } from '../sql.ts';

/** A freeze: only look-ups run while it is in force. */
export interface Freeze {
  readonly by: string;
  readonly name: string;
  readonly reason: string;
  readonly at: string;
  /** When it ends by itself; null: when somebody lifts it. */
  readonly until: string | null;
  /** The zone in which people read its end. */
  readonly zone: string;
}

/** Sets a freeze. False when one is in force already. */
export function putFreeze(db: Queryable, freeze: Freeze): Promise<boolean> {
  return findValue<boolean>(db, false)`select set_freeze(${JSON.stringify(freeze)}::jsonb)`;
}

/** Takes the freeze away; null when none was in force. */
export function removeFreeze(db: Queryable): Promise<Freeze | null> {
  return findValue<Freeze>(db)`select ${WITHOUT_END} || lift_freeze()`;
}

/** Finds the freeze that is in force. */
export function findFreeze(db: Queryable): Promise<Freeze | null> {
  return findValue<Freeze>(db)`select ${WITHOUT_END} || value from settings where key = 'freeze' and is_frozen()`;
}

/** Reads when a freeze ends, in the zone of the person of a conversation. Null for a time that is past, or that words leave open. */
export async function readFreezeEnd(
  db: Queryable,
  { until, threadId, usualZone }: { readonly until: string; readonly threadId: string; readonly usualZone: string },
): Promise<{ readonly until: string; readonly zone: string } | null> {
  const reading = readEndTime(until);
  if (!reading?.saysHour) return null;
  const { zone: own, now } = await readRow<{ zone: string | null; now: Date }>(db)`
    select clock_timestamp() as now, (select s.zone from threads t join schedules s on s.user_key = any (identities_of(t.user_key))
      where t.thread_id = ${threadId} order by s.schedule_id desc limit 1) as zone`;
  const zone = findZone(reading.zone ?? own ?? usualZone) ?? usualZone;
  const times = resolveWhen(reading.when, zone, now);
  const [end] = times && times.pattern === null ? listNextRuns(times, now, 1) : [];
  return end ? { until: end.toISOString(), zone } : null;
}

/** Freezes of earlier releases have no end. */
const WITHOUT_END = sql`jsonb_build_object('until', null, 'zone', 'UTC')`;
