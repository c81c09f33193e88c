import { toPlainName } from '@signalbox/contracts/plain-name';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { appendAudit } from '../audit/audit.ts';
import { putNotice, type NotifiedLane } from '../deploy/incident-news.ts';
import { chooseRota, listRotas } from '../oncall/rotas.ts';
import { findRecipients, listAdmins, type Recipient } from '../people/recipients.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, listRows, listValues, sql } from '../sql.ts';
import { listIncidentPeople, listOnCallPeople } from './incident-people.ts';
import { chooseWords, noteTelling, type IncidentWords } from './incident-words.ts';

/*
 * An incident that was told and that nobody takes goes on to the next:
 *
 *   told ─ N minutes ─▶ next person ─ N minutes ─▶ … ─▶ all operators ─ N minutes ─▶ all admins ─▶ nobody is left
 *     └──── taken, silenced, muted or over ─▶ nothing more
 *
 * The next people are the rest of the rota, or without a rota whoever answers for the service. Each person is told once in an episode: the
 * row of `incident_tellings` is written with the message. However late it is, one step is taken, and the next one N minutes after it.
 */

const BATCH = 100;

interface OpenIncident {
  readonly incidentId: string;
  readonly flaps: number;
  readonly words: IncidentWords;
  readonly waitedMs: number;
}

/**
 * Tells the next people of incidents that nobody has taken. Each step once, however many processes ask. `minutes`: for incidents without a
 * rota. `now`: for tests; otherwise the database's clock. Returns the lanes to wake.
 */
export async function notifyNextPeople(
  pool: Pool,
  minutes: number,
  now: Date | null = null,
): Promise<readonly NotifiedLane[]> {
  const waiting = await listRows<{ incidentId: string; project: string | null; waitedMs: number }>(pool)`
    select incident_id::text as "incidentId", words ->> 'project' as project, ${waitedMs(now)} as "waitedMs" from incidents
     where ${waitingAt(now)} order by told_at limit ${BATCH}`;
  if (waiting.length === 0) return [];
  const rotas = await listRotas(pool);
  const notified: NotifiedLane[] = [];
  for (const { incidentId, project, waitedMs: waited } of waiting) {
    const afterMs = (chooseRota(rotas, project)?.escalateMinutes ?? minutes) * MINUTE_MS;
    if (waited < afterMs) continue;
    notified.push(...(await withTransaction(pool, (db) => escalateOne(db, incidentId, afterMs, now))));
  }
  return notified;
}

async function escalateOne(
  db: Queryable,
  incidentId: string,
  afterMs: number,
  now: Date | null,
): Promise<readonly NotifiedLane[]> {
  const incident = await findRow<OpenIncident>(db)`
    select incident_id::text as "incidentId", flaps, words, ${waitedMs(now)} as "waitedMs" from incidents
     where incident_id = ${incidentId}::bigint and ${waitingAt(now)} and ${waitedMs(now)} >= ${afterMs} for update skip locked`;
  if (!incident) return [];
  const next = await findNext(db, incident);
  if (next.length === 0) {
    await db.query(sql`update incidents set escalates = false where incident_id = ${incidentId}::bigint`);
    return [];
  }
  const before = await listValues<string>(db)`
    select coalesce(u.name, t.user_key) from incident_tellings t left join users u on u.user_key = t.user_key
     where t.incident_id = ${incidentId}::bigint and t.told_at >= (
       select max(l.told_at) from incident_tellings l where l.incident_id = t.incident_id) order by 1`;
  const notified: NotifiedLane[] = [];
  for (const recipient of next)
    if (await noteTelling(db, incidentId, recipient.userKey))
      notified.push(await tell(db, incident, recipient, before));
  const [first] = next;
  // The end is said to the newest person, unless somebody takes it.
  await db.query(sql`update incidents set told_at = coalesce(${now}::timestamptz, clock_timestamp()),
      told = ${first?.userKey ?? null}, told_chat = ${first?.chatKey ?? null} where incident_id = ${incidentId}::bigint`);
  const people = next.map(({ userKey }) => userKey);
  await appendAudit(db, [{ kind: 'incident.escalated', actor: 'system', data: { incident: incidentId, to: people } }]);
  return notified;
}

/** Who is asked next: one person, then all operators, then all admins. Empty when everybody was told. */
async function findNext(db: Queryable, { incidentId, words }: OpenIncident): Promise<readonly Recipient[]> {
  const { project, card, tells } = words;
  const admins = await listAdmins(db);
  const onCall = await listOnCallPeople(db, project);
  const place = { project, environment: card?.environment ?? null };
  const responsible = onCall.length > 0 ? onCall : await listIncidentPeople(db, place);
  const isRota = onCall.length > 0;
  const line = [...tells, ...responsible.filter((one) => isRota || !admins.includes(one))];
  const findUntold = async (people: readonly string[]): Promise<readonly Recipient[]> => {
    const found = await findRecipients(db, people);
    const untold = await listValues<string>(db)`
      select k from unnest(${found.map(({ userKey }) => userKey)}::text[]) k where not exists (
        select from incident_tellings t where t.incident_id = ${incidentId}::bigint and t.person = person_of(k))`;
    return found.filter(({ userKey }) => untold.includes(userKey));
  };
  const [next] = await findUntold(line);
  if (next) return [next];
  const operators = await findUntold(await listOperators(db));
  return operators.length > 0 ? operators : findUntold(admins);
}

async function tell(
  db: Queryable,
  { incidentId, flaps, words, waitedMs: waited }: OpenIncident,
  recipient: Recipient,
  before: readonly string[],
): Promise<NotifiedLane> {
  const language = (await findValue<string>(db)`select user_language(${recipient.userKey})`) ?? 'en';
  const [only = ''] = before;
  const asks = runInLanguage(language, () =>
    say('oncall.unanswered', {
      who: before.length === 1 ? 'one' : 'nobody',
      name: toPlainName(only),
      minutes: Math.max(1, Math.floor(waited / MINUTE_MS)),
    }),
  );
  const { says, project, quote, card } = words;
  const sentence = chooseWords(says, language);
  const news = { phase: 'opened' as const, project, say: `${asks}\n\n${sentence}`, buttons: [] };
  return putNotice(db, { incidentId, once: `asked:${flaps}:${recipient.userKey}` }, recipient, {
    ...news,
    ...(quote === undefined ? {} : { quote }),
    ...(card === undefined ? {} : { card }),
  });
}

/** Lists the accounts of all operators, oldest first. */
function listOperators(db: Queryable): Promise<readonly string[]> {
  return listValues<string>(db)`
    select user_key from users where role = 'operator' and not is_program order by created_at, user_key limit 100`;
}

/** Since how long an incident waits for an answer; what was silenced waits since the end of the silence. */
function waitedMs(now: Date | null) {
  return sql`(extract(epoch from coalesce(${now}::timestamptz, clock_timestamp()) - greatest(told_at, silenced_until)) * 1000)::float8`;
}

/** SQL condition: the incident was told, and nobody has taken it or the one that is likely the same, or silenced or muted it. */
function waitingAt(now: Date | null) {
  return sql`escalates and closed_at is null and taken_by is null and news is null and words is not null and told_at is not null
    and (silenced_until is null or silenced_until <= coalesce(${now}::timestamptz, clock_timestamp()))
    and not exists (select from incidents twin where twin.incident_id::text = incidents.evidence ->> 'sameAs'
                       and twin.closed_at is null and twin.taken_by is not null)
    and not exists (select from services v where subject = 'service:' || v.project || '/' || v.environment
                       and v.muted_until > coalesce(${now}::timestamptz, clock_timestamp()))`;
}
