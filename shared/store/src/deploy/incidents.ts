import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import { addErrors, type FoundErrors } from './error-groups.ts';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, sql } from '../sql.ts';
import { findRecipients, type Recipient } from '../people/recipients.ts';
import {
  chooseFor,
  joinEnd,
  notifyRecipient,
  putNotice,
  type NotifiedLane,
  type PendingNotice,
} from './incident-news.ts';
import { toText, toWords, type IncidentWords, type Sentence } from '../incidents/incident-words.ts';

/** A problem that lasts. Each subject and kind of problem has one open row. */
export interface IncidentReport extends Pick<Incident, 'subject' | 'kind' | 'evidence'> {
  /** One sentence with the measured values, for lists. */
  readonly detail: Sentence;
  /** People to notify, in order of preference: only the first reachable person is notified. */
  readonly recipients: readonly string[];
  /** Project that becomes the topic of the notified person's conversation; null for a server. */
  readonly project: string | null;
  /** Markdown for the person, without text from outside. */
  readonly say: Sentence;
  /** One redacted log line, shown as text from outside and never part of the conversation. */
  readonly quote?: string | null;
  /** Name of a later stage of the incident, which is reported once to the notified person. */
  readonly step?: string;
  /** True for the cause of other open incidents with the same subject, which end silently with it. One per deployment. */
  readonly isCause?: boolean;
  readonly buttons: readonly ActionButton[];
  /** Set for what a person can take: its message gets the buttons of an alarm, and the next person is told when nobody takes it. */
  readonly card?: { readonly environment: string | null };
  /** Errors to count for the service when the incident opens; null when they are counted elsewhere. */
  readonly error?: (ServiceKey & FoundErrors) | null;
  /** Until this time nobody is notified; if the incident still lasts then, it is reported afterwards. */
  readonly mutedUntil: Date | null;
}

export interface Incident {
  readonly incidentId: string;
  /** The affected service or server: `service:shop/staging`, `server:vps-1`. */
  readonly subject: string;
  /** Kind of incident, such as `down`, `slow`, `errors`. */
  readonly kind: string;
  /** One sentence with the measured values. */
  readonly detail: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Person who was notified; null until somebody is. */
  readonly notified: string | null;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

export interface IncidentOutcome {
  readonly incident: Incident;
  /** Lane to wake; null when there is no news or no reachable person. */
  readonly notified: NotifiedLane | null;
  /** True when this call found no reachable recipient for the news. */
  readonly hasNoRecipient: boolean;
}

const COLUMNS = sql`incident_id::text as "incidentId", subject, kind, detail, evidence, told as notified, opened_at as "openedAt", closed_at as "closedAt"`;

/** SQL condition: the person who was notified can still be reached in that chat. */
const REACHABLE = sql`exists (select from users u where u.user_key = told)
  and not exists (select from chats x where x.chat_key in (told_chat, chat_root(told_chat)) and x.parked_at is not null)`;

interface IncidentRow extends Incident {
  readonly chatKey: string | null;
  readonly isReachable: boolean;
  readonly takenBy: string | null;
  readonly news: PendingNotice | null;
  readonly isWaiting: boolean;
}
const ROW = sql`${COLUMNS}, taken_by as "takenBy", told_chat as "chatKey", ${REACHABLE} as "isReachable", news, waits_since is not null as "isWaiting"`;

/**
 * Opens an incident or finds the open one, and notifies one person, unless a person notified earlier is still reachable. Each incident
 * and each of its steps is reported once, however often this is called. The news is committed first, and waits for `sendPendingNotices` when
 * nobody is reachable or the process dies.
 */
export async function openIncident(
  pool: Pool,
  report: IncidentReport,
): Promise<IncidentOutcome & { readonly isNew: boolean }> {
  const opened = await withTransaction(pool, (db) => open(db, report));
  const { incident, isNew, wasWaiting, isWaiting } = opened;
  const outcome = isWaiting ? await notifyRecipient(pool, incident.incidentId) : null;
  const notified = outcome === 'nobody' ? null : outcome;
  const hasNoRecipient = outcome === 'nobody' && !wasWaiting;
  return {
    incident: { ...incident, notified: notified?.userKey ?? incident.notified },
    isNew,
    notified,
    hasNoRecipient,
  };
}

/**
 * Closes an incident; whoever took it, else the person who was notified, gets `say` once. If the start was not reported yet, start and end wait together. Null
 * when no incident of that kind is open. Idempotent.
 */
export async function closeIncident(
  pool: Pool,
  end: { readonly subject: string; readonly kind: string; readonly project: string | null; readonly say: Sentence },
): Promise<IncidentOutcome | null> {
  const closed = await withTransaction(pool, async (db) => {
    const row = await findRow<IncidentRow>(db)`
      update incidents set closed_at = clock_timestamp() where subject = ${end.subject} and kind = ${end.kind} and closed_at is null
       returning ${ROW}`;
    if (!row) return null;
    const { chatKey: _, isReachable: __, takenBy, news, isWaiting, ...incident } = row;
    const ends = toWords(end.say);
    if (news !== null) {
      const both = {
        ...joinEnd(news, ends),
        buttons: [],
        ...(news.card ? { phase: 'closed' } : {}),
      };
      await db.query(sql`update incidents set news = ${JSON.stringify(redactValue(both))}::jsonb
        where incident_id = ${incident.incidentId}::bigint`);
    }
    const recipient = isWaiting ? null : await findHearer(db, row, takenBy);
    if (recipient === null) return { incident, notified: null, isWaiting };
    const card = { environment: null };
    const say = await chooseFor(db, recipient, ends);
    const said = { phase: 'closed' as const, project: end.project, say, buttons: [], card };
    const closed = { incidentId: incident.incidentId, once: 'closed' };
    return { incident, notified: await putNotice(db, closed, recipient, said), isWaiting };
  });
  if (closed === null) return null;
  const { incident, isWaiting } = closed;
  const outcome = isWaiting ? await notifyRecipient(pool, incident.incidentId) : closed.notified;
  const notified = outcome === 'nobody' ? null : outcome;
  return {
    incident: { ...incident, notified: notified?.userKey ?? incident.notified },
    notified,
    hasNoRecipient: false,
  };
}

/** Closes an incident without a word: whoever was told knows that it is over. What was not told yet is still told. Idempotent. */
export async function endIncident(db: Queryable, { subject, kind }: Pick<Incident, 'subject' | 'kind'>): Promise<void> {
  await db.query(
    sql`update incidents set closed_at = clock_timestamp() where subject = ${subject} and kind = ${kind} and closed_at is null`,
  );
}

/** Who hears the end: whoever took it, else the person who was notified, in the same chat; null when they cannot be reached. */
async function findHearer(
  db: Queryable,
  { notified, chatKey, isReachable }: IncidentRow,
  takenBy: string | null,
): Promise<Pick<Recipient, 'userKey' | 'chatKey'> | null> {
  const [taker] = takenBy === null || takenBy === notified ? [] : await findRecipients(db, [takenBy]);
  if (taker) return taker;
  return notified === null || chatKey === null || !isReachable ? null : { userKey: notified, chatKey };
}

/** Lists open incidents of one subject or kind, or of all, oldest first. */
export function listOpenIncidents(
  db: Queryable,
  subject: string | null = null,
  kind: string | null = null,
): Promise<readonly Incident[]> {
  return listRows<Incident>(db)`select ${COLUMNS} from incidents where closed_at is null
      and (${subject}::text is null or subject = ${subject}) and (${kind}::text is null or kind = ${kind}) order by opened_at, incident_id limit 200`;
}

async function open(
  db: Queryable,
  report: IncidentReport,
): Promise<{
  readonly incident: Incident;
  readonly isNew: boolean;
  readonly wasWaiting: boolean;
  readonly isWaiting: boolean;
}> {
  const { subject, kind } = report;
  if (report.isCause)
    await db.query(sql`update incidents set closed_at = clock_timestamp(), news = null, waits_since = null
        where subject = ${subject} and closed_at is null
          and (kind <> ${kind} or evidence ->> 'deploymentId' is distinct from ${report.evidence.deploymentId ?? null})`);
  const isNew = await hasRow(db)`
    insert into incidents (subject, kind, detail, evidence, silenced_until)
      values (${subject}, ${kind}, ${redactText(toText(report.detail))}, ${JSON.stringify(redactValue(report.evidence))}::jsonb,
        (select max(silenced_until) from incidents where subject = ${subject} and kind = ${kind} and silenced_until > clock_timestamp()))
     on conflict (subject, kind) where closed_at is null do nothing`;
  if (!isNew && report.card)
    await db.query(sql`update incidents set repeats = repeats + 1, heard_at = clock_timestamp()
        where subject = ${subject} and kind = ${kind} and closed_at is null`);
  if (isNew && report.error) await addErrors(db, report.error, [report.error]);
  const row = await findRow<IncidentRow>(db)`
    select ${ROW} from incidents where subject = ${subject} and kind = ${kind} and closed_at is null for update`;
  // The incident was closed between the two statements; the next probe opens it again.
  if (!row) throw new Error(`the incident ${kind} of ${subject} was closed while it was opened`);
  const { chatKey: _, isReachable, takenBy, news: __, isWaiting: wasWaiting, ...incident } = row;
  const isMuted = await findValue(db, false)`
    select greatest(${report.mutedUntil}::timestamptz, silenced_until) > clock_timestamp() from incidents
     where incident_id = ${incident.incidentId}::bigint`;
  const isWaiting = !isMuted && (wasWaiting || !isFullyNotified(incident, isReachable, report.step));
  if (isWaiting) await putWaiting(db, { ...incident, takenBy }, isReachable, report);
  if (isMuted && wasWaiting)
    await db.query(sql`update incidents set news = null, waits_since = null
      where incident_id = ${incident.incidentId}::bigint`);
  return { incident, isNew, wasWaiting, isWaiting };
}

function isFullyNotified({ notified, evidence }: Incident, isReachable: boolean, step: string | undefined): boolean {
  return notified !== null && isReachable && (step === undefined || evidence.step === step);
}

/** Stores the news of an incident in place of older news that waits. */
async function putWaiting(
  db: Queryable,
  { incidentId, notified, takenBy }: Pick<IncidentRow, 'incidentId' | 'notified' | 'takenBy'>,
  isReachable: boolean,
  report: IncidentReport,
): Promise<void> {
  const { step, project, buttons, quote, recipients } = report;
  const says = toWords(report.say);
  const isNext = notified !== null && isReachable;
  const card = report.card && { ...report.card, ...(quote ? { fromLog: true as const } : {}) };
  const words: IncidentWords | null = card
    ? redactValue({ says, details: toWords(report.detail), project, card, tells: [], ...(quote ? { quote } : {}) })
    : null;
  const news: PendingNotice = {
    once: isNext ? (step ?? 'opened') : 'opened',
    // Whoever took it, or was notified of the start, also gets the next step.
    recipients: isNext ? [...(takenBy === null ? [] : [takenBy]), notified, ...recipients] : recipients,
    phase: 'opened',
    project,
    says,
    say: toText(report.say),
    buttons: [...buttons],
    ...(quote ? { quote } : {}),
    ...(card ? { card } : {}),
  };
  await db.query(sql`update incidents set detail = ${redactText(toText(report.detail))},
      evidence = evidence || ${JSON.stringify(step === undefined ? {} : { step })}::jsonb,
      news = ${JSON.stringify(redactValue(news))}::jsonb, words = ${words && JSON.stringify(words)}::jsonb, waits_since = coalesce(waits_since, clock_timestamp())
    where incident_id = ${incidentId}::bigint`);
}
