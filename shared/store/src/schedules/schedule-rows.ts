import type { Role } from '@signalbox/contracts/governance/roles';
import type { Queryable } from '../pool.ts';
import { findRow, listRows, sql } from '../sql.ts';

/** A reminder, or an order of a person for later. */
export interface Schedule {
  readonly id: number;
  readonly userKey: string;
  readonly chatKey: string;
  readonly chatKind: 'private' | 'group';
  /** The conversation where it was made; its agent gets the runs. */
  readonly threadId: string;
  readonly kind: 'reminder' | 'task';
  readonly task: string;
  /** A cron pattern for what repeats; else the moment `at`. */
  readonly pattern: string | null;
  readonly at: Date | null;
  readonly zone: string;
  /** True when it runs only while an incident is open. */
  readonly quiet: boolean;
  /** The role of its owner when it was made. */
  readonly role: Role;
  readonly state: ScheduleState;
  readonly nextAt: Date | null;
  /** When its owner asked for a run at once; null when nobody did. */
  readonly askedAt: Date | null;
}

export type ScheduleState = 'active' | 'paused' | 'over' | 'removed';

export const SCHEDULE_COLUMNS = sql`s.schedule_id::int as id, s.user_key as "userKey", s.chat_key as "chatKey", s.chat_kind as "chatKind",
  s.thread_id as "threadId", s.kind, s.task, s.pattern, s.at, s.zone, s.quiet, s.role, s.state, s.next_at as "nextAt", s.asked_at as "askedAt"`;

/** Lists the schedules of a person's accounts that may still run, in the order of their making. */
export function listSchedules(db: Queryable, userKey: string): Promise<readonly Schedule[]> {
  return listRows<Schedule>(db)`select ${SCHEDULE_COLUMNS} from schedules s
    where s.user_key = any (identities_of(${userKey})) and s.state in ('active', 'paused') order by s.schedule_id`;
}

/** Lists the schedules of all people that may still run, those that run next first. */
export function listAllSchedules(db: Queryable): Promise<readonly Schedule[]> {
  return listRows<Schedule>(db)`select ${SCHEDULE_COLUMNS} from schedules s where s.state in ('active', 'paused')
    order by s.next_at nulls last, s.schedule_id`;
}

/** Finds a schedule of a person's accounts that may still run, by its number. Null for an unknown one, also of somebody else. */
export function findSchedule(db: Queryable, userKey: string, id: number): Promise<Schedule | null> {
  return findRow<Schedule>(db)`select ${SCHEDULE_COLUMNS} from schedules s
    where s.schedule_id = ${id} and s.user_key = any (identities_of(${userKey})) and s.state in ('active', 'paused') for update`;
}
