import { AppError } from '@signalbox/contracts/errors';
import type { Role } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS } from '@signalbox/contracts/time';
import {
  findZone,
  listNextRuns,
  measureShortestGap,
  resolveWhen,
  type RunTimes,
} from '@signalbox/messages/schedule/next-runs';
import { readWhen } from '@signalbox/messages/schedule/read-when';
import { readScheduleRequest } from '@signalbox/messages/schedule/read-request';
import { appendAudit } from '../audit/audit.ts';
import { noteEffect } from '../effects.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, listValues, readRow, sql } from '../sql.ts';
import { findSchedule, listSchedules, SCHEDULE_COLUMNS, type Schedule } from './schedule-rows.ts';

/** Maximum number of schedules of one person. */
const MAX_SCHEDULES = 20;
/** Shortest time between two runs: each may be a turn of a model. */
const MIN_GAP_MINUTES = 15;

/** What a person may do with a schedule of theirs. */
export type ScheduleChange = 'pause' | 'resume' | 'remove' | 'run';

export interface NewSchedule {
  readonly userKey: string;
  readonly role: Role;
  readonly threadId: string;
  readonly kind: 'reminder' | 'task';
  readonly task: string;
  /** Words, a cron pattern or a local time. */
  readonly when: string;
  /** The zone by its IANA name; null for the person's own. */
  readonly zone: string | null;
  readonly quiet: boolean;
  readonly actionId: string;
}

/** Creates access to schedules. `zone`: the zone of people who never said theirs. */
export function createScheduleStore(pool: Pool, zone: string) {
  return {
    /**
     * Makes a schedule in the chat of a conversation. Idempotent by action id. Throws SCHEDULE_TIME, SCHEDULE_ZONE, SCHEDULE_OVER,
     * SCHEDULE_OFTEN, SCHEDULES_FULL, SCHEDULE_PEOPLE, and SCHEDULE_WORDS for an order that the person did not type.
     */
    create: (asked: NewSchedule): Promise<Schedule> => withTransaction(pool, (db) => createWithin(db, asked, zone)),
    /** Finds the schedule that an action made; null when it made none. */
    madeBy: (actionId: string): Promise<Schedule | null> =>
      findRow<Schedule>(pool)`select ${SCHEDULE_COLUMNS} from schedules s where s.action_id = ${actionId}`,
    list: (userKey: string): Promise<readonly Schedule[]> => listSchedules(pool, userKey),
    /** Changes a schedule of this person as the effect of an action. Twice is safe. Throws SCHEDULE_UNKNOWN. */
    change: (
      asked: { readonly userKey: string; readonly role: Role; readonly id: number; readonly actionId: string },
      change: ScheduleChange,
    ): Promise<Schedule> =>
      withTransaction(pool, async (db) => {
        const changed = await changeSchedule(db, asked, change);
        await noteEffect(db, asked.actionId);
        return changed;
      }),
  };
}

async function createWithin(db: Queryable, asked: NewSchedule, usualZone: string): Promise<Schedule> {
  const { userKey, threadId, kind, task, quiet, role, actionId } = asked;
  const known = await findRow<Schedule>(db)`
    select ${SCHEDULE_COLUMNS} from schedules s where s.action_id = ${actionId}`;
  if (known) return known;
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended('schedules of ' || person_of(${userKey}), 0))`);
  const chat = await readRow<{
    chatKey: string;
    isPrivate: boolean;
    isProgram: boolean;
    now: Date;
    zone: string | null;
  }>(db)`
    select t.chat_key as "chatKey", is_private_to(identities_of(${userKey}), t.chat_key) as "isPrivate", u.is_program as "isProgram",
           date_trunc('milliseconds', clock_timestamp()) as now,
           (select s.zone from schedules s where s.user_key = any (identities_of(${userKey})) order by s.schedule_id desc limit 1) as zone
      from threads t, users u where t.thread_id = ${threadId} and u.user_key = ${userKey}`;
  if (chat.isProgram) throw new AppError('SCHEDULE_PEOPLE', {});
  if (kind === 'task' && !(await isTyped(db, asked, chat.chatKey))) throw new AppError('SCHEDULE_WORDS', { task });
  const times = readTimes(asked, chat.zone ?? usualZone, chat.now);
  const [nextAt] = listNextRuns(times, chat.now, 1);
  if (nextAt === undefined) throw new AppError('SCHEDULE_OVER', { when: asked.when });
  if (measureShortestGap(times, chat.now) < MIN_GAP_MINUTES * MINUTE_MS)
    throw new AppError('SCHEDULE_OFTEN', { minutes: String(MIN_GAP_MINUTES) });
  if ((await listSchedules(db, userKey)).length >= MAX_SCHEDULES)
    throw new AppError('SCHEDULES_FULL', { limit: String(MAX_SCHEDULES) });
  const made = await readRow<Schedule>(db)`
    insert into schedules as s (action_id, user_key, chat_key, chat_kind, thread_id, kind, task, pattern, at, zone, quiet, role, next_at)
    values (${actionId}, ${userKey}, ${chat.chatKey}, ${chat.isPrivate ? 'private' : 'group'}, ${threadId}, ${kind}, ${task},
            ${times.pattern}, ${times.at}, ${times.zone}, ${quiet}, ${role}, ${nextAt}) returning ${SCHEDULE_COLUMNS}`;
  await appendAudit(db, [
    { kind: 'schedule.made', actor: userKey, actionId, data: { role, schedule: String(made.id) } },
  ]);
  return made;
}

function readTimes({ when, zone }: Pick<NewSchedule, 'when' | 'zone'>, usualZone: string, now: Date): RunTimes {
  const reading = readWhen(when);
  const named = reading?.zone ?? zone;
  const known = named === null ? usualZone : findZone(named);
  if (known === null) throw new AppError('SCHEDULE_ZONE', { zone: named ?? '' });
  const times = reading && resolveWhen(reading.when, known, now);
  if (!times) throw new AppError('SCHEDULE_TIME', { when });
  return times;
}

/**
 * True when the task is in words that the person typed in this conversation: a piece of one message, or one without its words about time.
 * At each run it counts as typed, so a model may not write it.
 */
async function isTyped(db: Queryable, { threadId, userKey, task }: NewSchedule, chatKey: string): Promise<boolean> {
  const said = await listValues<string>(db)`
    select one ->> 'text' from own_words(${threadId}, ${userKey}, ${chatKey}, true, '', '{}') w, jsonb_array_elements(w.said) one
     where one ->> 'by' = 'typed'`;
  const sought = toWords(task);
  return said.some((text) => {
    const request = readScheduleRequest(text);
    // Chinese has no spaces between words.
    const mark = /\p{Script=Han}/u.test(sought) ? '' : ' ';
    return [text, request?.task ?? ''].some((one) =>
      `${mark}${toWords(one)}${mark}`.includes(`${mark}${sought}${mark}`),
    );
  });
}

function toWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s,.;:!?，。！？]+/g, ' ')
    .trim();
}

/** Changes a schedule of a person, in the caller's transaction. Twice is safe. Throws SCHEDULE_UNKNOWN. */
export async function changeSchedule(
  db: Queryable,
  { userKey, role, id }: { readonly userKey: string; readonly role: Role; readonly id: number },
  change: ScheduleChange,
): Promise<Schedule> {
  const schedule = await findSchedule(db, userKey, id);
  if (!schedule) throw new AppError('SCHEDULE_UNKNOWN', { id: String(id) });
  const changed = await readRow<Schedule>(db)`
    update schedules s set ${await toChange(db, schedule, change)} where s.schedule_id = ${id} returning ${SCHEDULE_COLUMNS}`;
  await appendAudit(db, [{ kind: 'schedule.changed', actor: userKey, data: { role, schedule: String(id), change } }]);
  return changed;
}

async function toChange(db: Queryable, schedule: Schedule, change: ScheduleChange) {
  switch (change) {
    case 'pause':
      return sql`state = 'paused'`;
    case 'remove':
      return sql`state = 'removed', asked_at = null`;
    case 'run':
      return sql`asked_at = coalesce(s.asked_at, date_trunc('milliseconds', clock_timestamp()))`;
    case 'resume': {
      const now = await findValue<Date>(db)`select clock_timestamp()`;
      // What was due while it was paused is not missed.
      const [nextAt = null] = listNextRuns(schedule, now ?? new Date(), 1);
      if (nextAt === null) throw new AppError('SCHEDULE_OVER', { when: schedule.at?.toISOString() ?? '' });
      return sql`state = 'active', next_at = ${nextAt}`;
    }
  }
}
