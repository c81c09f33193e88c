import { DEFAULT_LANGUAGE, runInLanguage } from '@signalbox/messages/language';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import { joinEnd, notifyRecipient, type NotifiedLane, type PendingNotice } from '../deploy/incident-news.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, readRow, sql } from '../sql.ts';
import { listIncidentPeople } from './incident-people.ts';
import { toText, toWords, type IncidentWords, type Sentence } from './incident-words.ts';

/*
 * One alarm of a source, by its fingerprint:
 *
 *   fires: no row ─▶ open, told ─ fires again ─▶ counted ─ ends ─▶ closed, told
 *          closed ≤ 10 min ago ─▶ open again: told the first time, to who read the end; from then on its ends wait for 10 quiet minutes
 *          the source's clock says that it began before its known end ─▶ late, nothing
 *   ends:  nothing open, or it ended before what is open began ─▶ late; the end is remembered
 *
 * The gateway commits rows and news before it tells anybody. It takes the requests of one source one after the other.
 */

/** An alarm of one request, decoded and mapped. */
export interface HeardAlarm {
  readonly fingerprint: string;
  readonly isFiring: boolean;
  /** By the clock of its source; null when it does not say. */
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly project: string | null;
  readonly environment: string | null;
  /** Our sentence about it; it repeats the beginning of its title, which is text from outside. */
  readonly detail: Sentence;
  /** Text from outside, for people only; its first line is the title. */
  readonly quote: string;
  /** Equal for the same request sent twice. */
  readonly digest: string;
}

/** The sentences about an alarm, in the current language. */
export interface AlarmSentences {
  opened(alarm: HeardAlarm): string;
  again(alarm: HeardAlarm): string;
  ended(alarm: HeardAlarm, past: { readonly lastedMs: number; readonly repeats: number }): string;
}

export type AlarmOutcome = 'opened' | 'untold' | 'again' | 'repeated' | 'ended' | 'late';

export interface HeardAlarms {
  readonly outcomes: readonly AlarmOutcome[];
  readonly notified: readonly NotifiedLane[];
  /** True when this request brought more new alarms than are told one by one. */
  readonly isFlood: boolean;
}

/** An alarm that comes back this soon after its end comes and goes. */
const FLAP_MS = 10 * MINUTE_MS;
/** The time in which new alarms of a source are counted, and how many of them are told one by one. */
export const FLOOD_WINDOW_MS = 10 * MINUTE_MS;
export const MAX_TOLD_ALARMS = 20;
/** A sender that got no answer repeats its request this soon; a later one is a repetition of its own. */
const REDELIVERY_MS = MINUTE_MS;
/** How long the end of an alarm is remembered. Senders give up on a request after hours. */
const MAX_END_AGE_DAYS = 7;

interface AlarmRow {
  readonly incidentId: string;
  readonly isOpen: boolean;
  readonly isFresh: boolean;
  readonly isRedelivered: boolean;
  readonly flaps: number;
  readonly repeats: number;
  readonly lastedMs: number;
  readonly startedAt: string | null;
  /** Who took it, else who was told. */
  readonly told: string | null;
  readonly news: PendingNotice | null;
  readonly isSilenced: boolean;
}

/** Takes the alarms of one request, and tells people of what is new. `tells`: people or chats, before those who answer for the service. */
export async function recordAlarms(
  pool: Pool,
  source: { readonly name: string; readonly tells: readonly string[] },
  alarms: readonly HeardAlarm[],
  sentences: AlarmSentences,
): Promise<HeardAlarms> {
  const heard = await withTransaction(pool, async (db) => {
    const before = await lockSource(db, source.name);
    const outcomes: AlarmOutcome[] = [];
    const waiting: string[] = [];
    let opened = before;
    for (const alarm of alarms) {
      const task = { db, source, alarm, sentences, isFlood: opened >= MAX_TOLD_ALARMS };
      const { outcome, tell } = await (alarm.isFiring ? fire(task) : end(task));
      if (outcome === 'opened' || outcome === 'untold') opened += 1;
      outcomes.push(outcome);
      if (tell !== null) waiting.push(tell);
    }
    if (opened > before) await db.query(sql`update alarm_sources set opened = ${opened} where source = ${source.name}`);
    return { outcomes, waiting };
  });
  const notified: NotifiedLane[] = [];
  for (const incidentId of heard.waiting) {
    const one = await notifyRecipient(pool, incidentId);
    if (one !== null && one !== 'nobody') notified.push(one);
  }
  return { outcomes: heard.outcomes, notified, isFlood: heard.outcomes.includes('untold') };
}

interface Task {
  readonly db: Queryable;
  readonly source: { readonly name: string; readonly tells: readonly string[] };
  readonly alarm: HeardAlarm;
  readonly sentences: AlarmSentences;
  readonly isFlood: boolean;
}

interface Taken {
  readonly outcome: AlarmOutcome;
  /** The incident whose news is to be told now; null when there is none, or when it waits. */
  readonly tell: string | null;
}

/** Marks the source as heard and returns how many alarms it opened in the present window. */
async function lockSource(db: Queryable, source: string): Promise<number> {
  const { opened, isNew } = await readRow<{ opened: number; isNew: boolean }>(db)`
    insert into alarm_sources as s (source, heard_at) values (${source}, clock_timestamp())
    on conflict (source) do update set heard_at = clock_timestamp(),
      opened = case when s.window_at < clock_timestamp() - ${FLOOD_WINDOW_MS} * interval '1 ms' then 0 else s.opened end,
      window_at = case when s.window_at < clock_timestamp() - ${FLOOD_WINDOW_MS} * interval '1 ms' then clock_timestamp() else s.window_at end
    returning opened, window_at >= heard_at as "isNew"`;
  if (isNew)
    await db.query(
      sql`delete from alarm_ends where ended_at < clock_timestamp() - ${MAX_END_AGE_DAYS} * interval '1 day'`,
    );
  return opened;
}

async function fire(task: Task): Promise<Taken> {
  const { db, source, alarm, sentences, isFlood } = task;
  const row = await findAlarm(db, source.name, alarm);
  if (row?.isOpen) {
    if (row.isRedelivered) return { outcome: 'late', tell: null };
    await db.query(sql`update incidents set repeats = repeats + 1, heard_at = clock_timestamp(),
        evidence = evidence || ${JSON.stringify({ digest: alarm.digest })}::jsonb where incident_id = ${row.incidentId}::bigint`);
    return { outcome: 'repeated', tell: null };
  }
  if (await isOver(db, source.name, alarm)) return { outcome: 'late', tell: null };
  if (row?.isFresh) {
    await db.query(sql`update incidents set closed_at = null, flaps = flaps + 1, heard_at = clock_timestamp(), news = null,
        waits_since = null, evidence = evidence || ${writeEvidence(alarm)}::jsonb where incident_id = ${row.incidentId}::bigint`);
    if (row.flaps > 0 || row.told === null) return { outcome: 'again', tell: null };
    // Everybody who was told believes that it is over: another episode begins.
    await db.query(sql`with told as (delete from incident_tellings where incident_id = ${row.incidentId}::bigint)
      update incidents set escalates = true where incident_id = ${row.incidentId}::bigint`);
    if (row.isSilenced) return { outcome: 'again', tell: null };
    const say = (): string => sentences.again(alarm);
    await putNews(task, row.incidentId, { once: 'again', say, phase: 'opened', first: row.told });
    return { outcome: 'again', tell: row.incidentId };
  }
  const incidentId = await findValue<string>(db)`
    insert into incidents (subject, kind, detail, evidence, heard_at, silenced_until)
    values (${toSubject(source.name, alarm)}, 'alarm', ${redactText(runInLanguage(DEFAULT_LANGUAGE, () => toText(alarm.detail)))}, ${writeEvidence(alarm)}::jsonb, clock_timestamp(),
      (select max(silenced_until) from incidents where subject = ${toSubject(source.name, alarm)} and silenced_until > clock_timestamp()))
    returning incident_id::text`;
  if (incidentId === null) throw new Error('an incident was stored without an id');
  if (isFlood) return { outcome: 'untold', tell: null };
  await putNews(task, incidentId, { once: 'opened', say: () => sentences.opened(alarm), phase: 'opened' });
  return { outcome: 'opened', tell: row?.isSilenced ? null : incidentId };
}

async function end(task: Task): Promise<Taken> {
  const { db, source, alarm, sentences } = task;
  if (alarm.endedAt !== null)
    await db.query(sql`insert into alarm_ends as e values (${source.name}, ${alarm.fingerprint}, ${alarm.endedAt})
      on conflict (source, fingerprint) do update set ended_at = greatest(e.ended_at, excluded.ended_at)`);
  const row = await findAlarm(db, source.name, alarm);
  if (!row?.isOpen) return { outcome: 'late', tell: null };
  if (alarm.endedAt !== null && row.startedAt !== null && alarm.endedAt < new Date(row.startedAt))
    return { outcome: 'late', tell: null };
  await db.query(sql`update incidents set closed_at = clock_timestamp(), heard_at = clock_timestamp()
     where incident_id = ${row.incidentId}::bigint`);
  const say = (): string => sentences.ended(alarm, row);
  if (row.news !== null && row.isSilenced) {
    await db.query(
      sql`update incidents set news = null, waits_since = null where incident_id = ${row.incidentId}::bigint`,
    );
    return { outcome: 'ended', tell: null };
  }
  if (row.news !== null) {
    // Start and end wait together.
    const both = { ...joinEnd(row.news, toWords(say)), phase: 'closed' };
    await db.query(sql`update incidents set news = ${JSON.stringify(redactValue(both))}::jsonb
       where incident_id = ${row.incidentId}::bigint`);
    return { outcome: 'ended', tell: null };
  }
  // Nobody who was not told of the start is told of the end.
  if (row.told === null) return { outcome: 'ended', tell: null };
  const waitsMs = row.flaps === 0 ? 0 : FLAP_MS;
  await putNews(task, row.incidentId, { once: `closed:${row.flaps}`, say, phase: 'closed', waitsMs, first: row.told });
  return { outcome: 'ended', tell: waitsMs === 0 ? row.incidentId : null };
}

function findAlarm(db: Queryable, source: string, alarm: HeardAlarm): Promise<AlarmRow | null> {
  return findRow<AlarmRow>(db)`
    select incident_id::text as "incidentId", closed_at is null as "isOpen", flaps, repeats, coalesce(taken_by, told) as told, news,
           coalesce(closed_at > clock_timestamp() - ${FLAP_MS} * interval '1 ms', false) as "isFresh",
           coalesce(evidence ->> 'digest' = ${alarm.digest} and heard_at > clock_timestamp() - ${REDELIVERY_MS} * interval '1 ms', false)
             as "isRedelivered",
           (extract(epoch from clock_timestamp() - opened_at) * 1000)::float8 as "lastedMs",
           evidence ->> 'startedAt' as "startedAt", coalesce(silenced_until > clock_timestamp(), false) as "isSilenced"
      from incidents where subject = ${toSubject(source, alarm)} and kind = 'alarm'
     order by incident_id desc limit 1 for update`;
}

/** True when the source itself said that this alarm ended after it began. */
function isOver(db: Queryable, source: string, { fingerprint, startedAt }: HeardAlarm): Promise<boolean> {
  return hasRow(db)`select from alarm_ends where source = ${source} and fingerprint = ${fingerprint}
      and ended_at > ${startedAt}::timestamptz`;
}

async function putNews(
  { db, source, alarm }: Task,
  incidentId: string,
  news: {
    readonly once: string;
    readonly phase: PendingNotice['phase'];
    readonly say: () => string;
    /** How long it waits before it is told, if it still holds then. */
    readonly waitsMs?: number;
    /** Whoever was told before is asked first. */
    readonly first?: string;
  },
): Promise<void> {
  const { once, phase, say, waitsMs = 0, first } = news;
  const people = await listIncidentPeople(db, alarm);
  const recipients = [...(first === undefined ? [] : [first]), ...source.tells, ...people];
  const [title = ''] = alarm.quote.split('\n', 1);
  const said = phase === 'opened' ? alarm.quote : title;
  const notice = {
    once,
    recipients: [...new Set(recipients)],
    phase,
    project: alarm.project,
    says: toWords(say),
    say: say(),
    buttons: [],
    card: { environment: alarm.environment },
    ...(said === '' ? {} : { quote: said }),
  };
  const { project, card, quote, says } = notice;
  const details = toWords(alarm.detail);
  const words: IncidentWords = {
    says,
    details,
    tells: source.tells,
    project,
    card,
    ...(quote === undefined ? {} : { quote }),
  };
  // What is silenced waits as long as its silence.
  await db.query(sql`update incidents set news = ${JSON.stringify(redactValue(notice))}::jsonb,
      words = case when ${phase} = 'opened' then ${JSON.stringify(redactValue(words))}::jsonb else words end,
      waits_since = greatest(clock_timestamp() + ${waitsMs} * interval '1 ms', case when ${phase} = 'opened' then silenced_until end)
    where incident_id = ${incidentId}::bigint`);
}

function writeEvidence({ startedAt, project, environment, digest }: HeardAlarm): string {
  return JSON.stringify({ startedAt: startedAt?.toISOString() ?? null, project, environment, digest });
}

function toSubject(source: string, { fingerprint }: HeardAlarm): string {
  return `alarm:${source}/${fingerprint}`;
}
