import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { newTraceId } from '@signalbox/contracts/ids';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { listNextRuns } from '@signalbox/messages/schedule/next-runs';
import { sayMoment } from '@signalbox/messages/schedule/say-when';
import { say } from '@signalbox/messages/say';
import { appendAudit } from '../audit/audit.ts';
import { putLocalized } from '../conversation/outbox.ts';
import { wakeLane } from '../conversation/wake-lane.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listValues, sql } from '../sql.ts';
import { SCHEDULE_COLUMNS, type Schedule } from './schedule-rows.ts';

/** A task later than this is reported instead of run: a deployment of the night is not one of the morning. */
const MAX_LATE_MS = HOUR_MS;
/** A reminder later than this says when it was due. */
const LATE_REMINDER_MS = 5 * MINUTE_MS;
/** Maximum number of missed runs that are counted. */
const MAX_COUNTED = 1_000;
const BATCH = 500;

/** What came of one due time. `postponed`: nothing was written, because the conversation waits for its owner's answer. */
export type DueOutcome = 'ran' | 'told' | 'quiet' | 'late' | 'busy' | 'paused' | 'postponed';

export interface DueRuns {
  readonly outcomes: readonly DueOutcome[];
  readonly chats: readonly string[];
  readonly wakes: readonly WakeUp[];
  /** Schedules that could not be run now, with the reason. The others ran. */
  readonly failures: readonly { readonly id: number; readonly error: unknown }[];
}

/**
 * Runs the schedules that are due: each due time once, however many processes ask, because the row of the run, the message and the next
 * time are written in one transaction. `now`: for tests; otherwise the database's clock.
 */
export async function runDueSchedules(pool: Pool, now: Date | null = null): Promise<DueRuns> {
  const ids = await listValues<number>(pool)`
    select s.schedule_id::int from schedules s
     where s.state = 'active' and s.next_at <= coalesce(${now}::timestamptz, clock_timestamp()) or s.asked_at is not null
     order by s.next_at limit ${BATCH}`;
  const done: (Fired | null)[] = [];
  const failures: { readonly id: number; readonly error: unknown }[] = [];
  for (const id of ids) {
    try {
      done.push(await withTransaction(pool, (db) => takeOne(db, id, now)));
    } catch (error) {
      failures.push({ id, error });
    }
  }
  const fired = done.filter((one) => one !== null);
  return {
    outcomes: fired.map(({ outcome }) => outcome),
    chats: [...new Set(fired.flatMap(({ chats }) => chats))],
    wakes: fired.flatMap(({ wakes }) => wakes),
    failures,
  };
}

interface Fired {
  readonly outcome: DueOutcome;
  readonly chats: readonly string[];
  readonly wakes: readonly WakeUp[];
}

/** One due time of a schedule. */
interface Due {
  readonly schedule: Schedule;
  readonly at: Date;
  readonly now: Date;
  readonly isAsked: boolean;
  /** Due times before this one that nothing ran at. */
  readonly missed: number;
}

async function takeOne(db: Queryable, id: number, given: Date | null): Promise<Fired | null> {
  const schedule = await findRow<Schedule>(db)`
    select ${SCHEDULE_COLUMNS} from schedules s where s.schedule_id = ${id} for update skip locked`;
  const now = given ?? (await findValue<Date>(db)`select date_trunc('milliseconds', clock_timestamp())`);
  const due = schedule && now && findDue(schedule, now);
  if (!due) return null;
  const owner = await findRow<{ role: Role; name: string }>(db)`
    select role, name from users where user_key = ${schedule.userKey} and not is_program`;
  if (!owner || !coversRole(owner.role, schedule.role)) return pause(db, due);
  const lateMs = now.getTime() - due.at.getTime();
  const isTask = schedule.kind === 'task';
  if (isTask && lateMs <= MAX_LATE_MS && (await isAwaiting(db, schedule)))
    return { outcome: 'postponed', chats: [], wakes: [] };
  const outcome = await chooseOutcome(db, due, lateMs);
  const isFirst = await hasRow(db)`
    insert into schedule_runs (schedule_id, due_at, outcome, missed) values (${id}, ${due.at}, ${outcome}, ${due.missed})
    on conflict do nothing returning true`;
  await advance(db, due);
  if (!isFirst) return null;
  return carryOut(db, due, { outcome, name: owner.name });
}

/** The newest due time of a schedule, with the number of those before it; null when nothing is due. */
function findDue(schedule: Schedule, now: Date): Due | null {
  const { askedAt, nextAt, state } = schedule;
  if (askedAt) return { schedule, at: askedAt, now, isAsked: true, missed: 0 };
  if (state !== 'active' || nextAt === null || nextAt > now) return null;
  const later = listNextRuns(schedule, nextAt, MAX_COUNTED, new Date(now.getTime() + 1)).filter((at) => at <= now);
  return { schedule, at: later.at(-1) ?? nextAt, now, isAsked: false, missed: later.length };
}

async function chooseOutcome(
  db: Queryable,
  { schedule, isAsked }: Due,
  lateMs: number,
): Promise<Exclude<DueOutcome, 'paused' | 'postponed'>> {
  if (schedule.kind === 'reminder') return 'told';
  if (lateMs > MAX_LATE_MS) return 'late';
  const isBusy = await hasRow(db)`
    select true from inbox i where i.channel = 'system' and i.bot = 'schedules' and i.user_key = ${schedule.userKey} and i.outcome is null
       and starts_with(i.update_id, ${`${schedule.id}:`})`;
  if (isBusy) return 'busy';
  if (!schedule.quiet || isAsked) return 'ran';
  const isWrong = await hasRow(db)`
    select true from incidents where closed_at is null and subject <> 'signalbox' limit 1`;
  return isWrong ? 'ran' : 'quiet';
}

/** True while its conversation has asked the owner something: a run would be taken for the answer. */
function isAwaiting(db: Queryable, { userKey, chatKey, threadId }: Schedule): Promise<boolean> {
  return hasRow(
    db,
  )`select true from threads t where t.user_key = ${userKey} and t.chat_key = ${chatKey} and t.status = 'open' and t.awaiting
     and t.agent = (select o.agent from threads o where o.thread_id = ${threadId})`;
}

async function advance(db: Queryable, { schedule, now, isAsked }: Due): Promise<void> {
  const [next = null] = listNextRuns(schedule, now, 1);
  // A run that its owner asked for leaves the times as they are.
  const times = isAsked ? sql`` : sql`, next_at = ${next}, state = ${next === null ? 'over' : 'active'}`;
  await db.query(sql`update schedules s set asked_at = null ${times} where s.schedule_id = ${schedule.id}`);
}

async function pause(db: Queryable, { schedule }: Due): Promise<Fired> {
  await db.query(sql`update schedules s set state = 'paused', asked_at = null where s.schedule_id = ${schedule.id}`);
  await appendAudit(db, [
    { kind: 'schedule.paused', actor: 'system', data: { schedule: String(schedule.id), of: schedule.userKey } },
  ]);
  const chats = await tell(db, schedule, 'role', () => say('schedules.pausedRole', nameOf(schedule)));
  return { outcome: 'paused', chats, wakes: [] };
}

async function carryOut(
  db: Queryable,
  due: Due,
  { outcome, name }: { readonly outcome: Exclude<DueOutcome, 'paused' | 'postponed'>; readonly name: string },
): Promise<Fired> {
  const { schedule, at, missed } = due;
  const key = String(at.getTime());
  const values = { ...nameOf(schedule), missed };
  if (outcome === 'quiet') return { outcome, chats: [], wakes: [] };
  const chats = await tell(db, schedule, key, () => {
    const time = sayMoment(at, schedule.zone);
    if (outcome === 'told')
      return say('schedules.reminds', { ...values, time, isLate: due.now.getTime() - at.getTime() > LATE_REMINDER_MS });
    return say(`schedules.${outcome}`, { ...values, time });
  });
  if (outcome !== 'ran') return { outcome, chats, wakes: [] };
  const traceId = newTraceId();
  const { id, userKey, chatKey, chatKind, task, threadId } = schedule;
  await wakeLane(db, {
    channel: 'system',
    bot: 'schedules',
    updateId: `${id}:${key}`,
    userKey,
    chatKey,
    traceId,
    at: due.now.toISOString(),
    kind: 'message',
    chatKind,
    name,
    text: task,
    messageId: null,
    button: null,
    threadId,
    schedule: id,
  });
  return { outcome, chats, wakes: [{ userKey, traceId }] };
}

const nameOf = ({ id, task }: Schedule) => ({ id, task: toPlainName(task) });

async function tell(db: Queryable, schedule: Schedule, key: string, text: () => string): Promise<readonly string[]> {
  const { id, chatKey, userKey } = schedule;
  await putLocalized(db, [chatKey], () => ({
    key: `schedule:${id}:${key}`,
    chatKey,
    userKey,
    traceId: newTraceId(),
    priority: SEND_PRIORITY.reply,
    body: { text: text(), buttons: [] },
  }));
  return [chatKey];
}
