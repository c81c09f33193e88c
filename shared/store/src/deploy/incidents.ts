import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { ActionButton, InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { newId } from '@signalbox/contracts/ids';
import { wakeLane } from '../conversation/wake-lane.ts';
import { addErrors, type FoundErrors } from './error-groups.ts';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, sql } from '../sql.ts';

/** Something that is broken now. One row per subject and kind while it lasts. */
export interface IncidentReport {
  /** `service:shop/staging`, `server:vps-1`. */
  readonly subject: string;
  /** Such as `down`, `slow`, `errors`. */
  readonly kind: string;
  /** One sentence: what was measured. */
  readonly detail: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Whom it concerns, the first of them who can be written to is told; when none can, an admin is. */
  readonly owners: readonly string[];
  /** What the conversation is about from then on; null for a server. */
  readonly project: string | null;
  /** For the person, as markdown, without text of outside. */
  readonly say: string;
  /** One line of a log, without secrets: shown below as text of outside, and never part of the conversation. */
  readonly quote?: string | null;
  /** What has become of it since it was opened: whoever was told of it is told of that too, once. */
  readonly step?: string;
  /**
   * It is the cause of whatever else is open of its subject, and one of each deployment: the others end with it, and nobody is told
   * of that end.
   */
  readonly isCause?: boolean;
  readonly buttons: readonly ActionButton[];
  /** What it adds to the errors of its service, once, when it is opened; null when that is counted otherwise. */
  readonly error?: (ServiceKey & FoundErrors) | null;
  /** It is opened, and told when this has passed and it still lasts. */
  readonly mutedUntil: Date | null;
}

export interface Incident {
  readonly incidentId: string;
  readonly subject: string;
  readonly kind: string;
  readonly detail: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** The person who was told; null when nobody was yet. */
  readonly told: string | null;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

/** Whose lane goes on, to be woken after the commit; a wake-up that is lost the sweeper sends. */
export interface Told {
  readonly userKey: string;
  readonly traceId: string;
}

const COLUMNS = sql`incident_id::text as "incidentId", subject, kind, detail, evidence, told, opened_at as "openedAt", closed_at as "closedAt"`;

/**
 * Opens an incident, or finds the one that is open, and tells one person unless somebody was told: in one transaction, so that it is
 * told once, whoever looks, however often, also when one of them dies in between. So is each of its steps. `told` is null when there was
 * nothing to tell.
 */
export async function openIncident(
  pool: Pool,
  report: IncidentReport,
): Promise<{ readonly incident: Incident; readonly isNew: boolean; readonly told: Told | null }> {
  return withTransaction(pool, async (db) => {
    const { subject, kind } = report;
    if (report.isCause)
      await db.query(sql`update incidents set closed_at = clock_timestamp()
          where subject = ${subject} and closed_at is null
            and (kind <> ${kind} or evidence ->> 'deploymentId' is distinct from ${report.evidence.deploymentId ?? null})`);
    const isNew = await hasRow(db)`
      insert into incidents (subject, kind, detail, evidence)
        values (${subject}, ${kind}, ${redactText(report.detail)}, ${JSON.stringify(redactValue(report.evidence))}::jsonb)
       on conflict (subject, kind) where closed_at is null do nothing`;
    if (isNew && report.error) await addErrors(db, report.error, [report.error]);
    const incident = await findRow<Incident & { chatKey: string | null }>(db)`
      select ${COLUMNS}, told_chat as "chatKey" from incidents where subject = ${subject} and kind = ${kind} and closed_at is null
        for update`;
    // It was closed between the two statements: the next look opens it again.
    if (!incident) throw new Error(`the incident ${kind} of ${subject} was closed while it was opened`);
    const isMuted = report.mutedUntil !== null && report.mutedUntil > new Date();
    const { chatKey, ...known } = incident;
    const told = isMuted ? null : await tell(db, known, chatKey, report);
    return { incident: { ...known, told: told?.userKey ?? known.told }, isNew, told };
  });
}

/**
 * Ends an incident; whoever was told of it reads `say`, once. Null when none of that kind is open. Idempotent.
 */
export async function closeIncident(
  pool: Pool,
  end: { readonly subject: string; readonly kind: string; readonly project: string | null; readonly say: string },
): Promise<{ readonly incident: Incident; readonly told: Told | null } | null> {
  return withTransaction(pool, async (db) => {
    const row = await findRow<Incident & { told_chat: string | null }>(db)`
      update incidents set closed_at = clock_timestamp() where subject = ${end.subject} and kind = ${end.kind} and closed_at is null
       returning ${COLUMNS}, told_chat`;
    if (!row) return null;
    const { told_chat: chatKey, ...incident } = row;
    if (incident.told === null || chatKey === null) return { incident, told: null };
    const person = { userKey: incident.told, chatKey };
    const news = { phase: 'closed' as const, project: end.project, say: end.say, buttons: [] };
    return { incident, told: await putNews(db, incident, person, { once: 'closed', news }) };
  });
}

/** What is open, of one subject or of all, the oldest first. */
export function listOpenIncidents(db: Queryable, subject: string | null = null): Promise<readonly Incident[]> {
  return listRows<Incident>(db)`select ${COLUMNS} from incidents where closed_at is null
      and (${subject}::text is null or subject = ${subject}) order by opened_at, incident_id limit 200`;
}

/** Tells of it whom it concerns, and whoever was told of it of its next step. Null when all was told. */
async function tell(
  db: Queryable,
  incident: Incident,
  chatKey: string | null,
  report: IncidentReport,
): Promise<Told | null> {
  const { step } = report;
  const isToldAll = incident.told !== null && (step === undefined || incident.evidence.step === step);
  if (isToldAll) return null;
  const earlier = incident.told === null || chatKey === null ? null : { userKey: incident.told, chatKey };
  const person = earlier ?? (await whoCanBeTold(db, report.owners));
  if (!person) return null;
  await db.query(sql`
    update incidents set told = ${person.userKey}, told_chat = ${person.chatKey}, told_at = clock_timestamp(),
      detail = ${redactText(report.detail)}, evidence = evidence || ${JSON.stringify(step === undefined ? {} : { step })}::jsonb
      where incident_id = ${incident.incidentId}::bigint`);
  const { project, say, buttons, quote } = report;
  const news = { phase: 'opened' as const, project, say, buttons: [...buttons], ...(quote ? { quote } : {}) };
  return putNews(db, incident, person, { once: earlier === null ? 'opened' : (step ?? 'opened'), news });
}

/**
 * The first of the owners, else an admin, who has a role and has written to us; in private if they ever did, else where they wrote
 * last. A chat that does not take our messages is left out.
 */
function whoCanBeTold(
  db: Queryable,
  owners: readonly string[],
): Promise<{ readonly userKey: string; readonly chatKey: string } | null> {
  return findRow<{ userKey: string; chatKey: string }>(db)`
    select u.user_key as "userKey", c.chat_key as "chatKey" from users u
       join lateral (select i.chat_key from inbox i
                      where i.user_key = u.user_key and i.kind in ('message', 'command')
                        and not exists (select 1 from chats x where x.chat_key = i.chat_key and x.parked_at is not null)
                      order by (i.envelope ->> 'chatKind' = 'private') desc nulls last, i.id desc limit 1) c on true
      where u.user_key = any (${[...owners]}) or u.role = 'admin'
      order by array_position(${[...owners]}::text[], u.user_key) nulls last, u.created_at, u.user_key limit 1`;
}

type News = Pick<Extract<InboundEnvelope, { kind: 'incident' }>, 'phase' | 'project' | 'say' | 'quote' | 'buttons'>;

/** News of an incident for the lane of a person, once per incident and `once`, which is its phase or a step of it. */
async function putNews(
  db: Queryable,
  { incidentId }: Incident,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
  { once, news }: { readonly once: string; readonly news: News },
): Promise<Told> {
  const traceId = newId('trace');
  const updateId = `${incidentId}:${once}`;
  await wakeLane(db, {
    kind: 'incident',
    channel: 'system',
    bot: 'incidents',
    updateId,
    userKey,
    chatKey,
    traceId,
    at: new Date().toISOString(),
    incidentId,
    ...redactValue(news),
  });
  return { userKey, traceId };
}
