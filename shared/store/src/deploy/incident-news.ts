import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { DEFAULT_LANGUAGE, runInLanguage } from '@signalbox/messages/language';
import { redactValue } from '@signalbox/safety/redact/redact';
import { wakeLane } from '../conversation/wake-lane.ts';
import { chooseWords, noteTelling, type Words } from '../incidents/incident-words.ts';
import { findTwin, sayTwin, type TwinIncident } from '../incidents/twin-incidents.ts';
import { findRecipients, type Recipient } from '../people/recipients.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, listValues, sql } from '../sql.ts';

// News of an incident is committed before anybody is notified, and waits in its row until somebody was:
//
//   null ──openIncident──▶ waiting ──notify: somebody can be reached──▶ null, `told` and `told_chat` name the person and chat
//                             └──nobody can──▶ stays; sendPendingNotices tries again, another pool notifies the admins

/** The lane of a notified person, to wake after the commit. The sweeper repeats a lost wake-up. */
export interface NotifiedLane {
  readonly userKey: string;
  readonly traceId: string;
}

type News = Pick<
  Extract<InboundEnvelope, { kind: 'incident' }>,
  'phase' | 'project' | 'say' | 'quote' | 'buttons' | 'card'
>;

/** News of an incident that nobody has received yet. */
export interface PendingNotice extends News {
  /** Key within the incident: news is sent once per key. */
  readonly once: string;
  readonly recipients: readonly string[];
  /** Its sentence by language, where it is known in more than one. */
  readonly says?: Words;
}

/** Younger news may still be on its way to a recipient. */
const ON_ITS_WAY_MS = 5_000;
/** Maximum number of incidents per call. */
const BATCH = 100;

/** Sends waiting news to the first person who can be reached; `admins` are tried last. Returns the notified people. */
export async function sendPendingNotices(pool: Pool, admins: readonly string[]): Promise<readonly NotifiedLane[]> {
  const waiting = await listValues<string>(pool)`
    select incident_id::text from incidents
     where news is not null and waits_since < clock_timestamp() - ${ON_ITS_WAY_MS} * interval '1 ms'
     order by waits_since limit ${BATCH}`;
  const notified: NotifiedLane[] = [];
  for (const incidentId of waiting) {
    const one = await notifyRecipient(pool, incidentId, admins);
    if (one !== null && one !== 'nobody') notified.push(one);
  }
  return notified;
}

/**
 * Sends the waiting news of an incident to the first reachable person; `nobody` when there is none, and the news keeps waiting. Null when
 * no news waits. Idempotent.
 */
export function notifyRecipient(
  pool: Pool,
  incidentId: string,
  admins: readonly string[] = [],
): Promise<NotifiedLane | 'nobody' | null> {
  return withTransaction(pool, async (db) => {
    const row = await findRow<{ news: PendingNotice; told: string | null; chatKey: string | null }>(db)`
      select news, told, told_chat as "chatKey" from incidents
       where incident_id = ${incidentId}::bigint and news is not null for update`;
    if (!row) return null;
    const { once, recipients, says, ...rest } = row.news;
    const twin = rest.card && rest.phase === 'opened' && once === 'opened' ? await findTwin(db, incidentId) : null;
    // Whoever looks after the other one knows most.
    const first = twin?.takenBy == null ? [] : [twin.takenBy];
    const [recipient] = await findRecipients(db, [...first, ...recipients, ...admins]);
    if (!recipient) return 'nobody';
    const sentence = says ? await chooseFor(db, recipient, says) : rest.say;
    const news = {
      ...rest,
      say: twin ? `${await linkTwin(db, incidentId, twin, recipient)}\n\n${sentence}` : sentence,
    };
    await markNotified(db, incidentId, recipient);
    if (news.card && news.phase === 'opened') await noteTelling(db, incidentId, recipient.userKey);
    const isAnother = row.told !== null && recipient.chatKey !== row.chatKey;
    return putNotice(db, { incidentId, once: isAnother ? `${once}:${recipient.chatKey}` : once }, recipient, news);
  });
}

/** Chooses the sentence in the language of a person. */
export async function chooseFor(db: Queryable, { userKey }: Pick<Recipient, 'userKey'>, says: Words): Promise<string> {
  return chooseWords(says, await findValue<string>(db)`select user_language(${userKey})`);
}

/** Links an incident to the one that likely has its cause, and says so in the language of a person. */
async function linkTwin(
  db: Queryable,
  incidentId: string,
  twin: TwinIncident,
  { userKey }: Recipient,
): Promise<string> {
  const link = JSON.stringify({ sameAs: twin.incidentId });
  await db.query(
    sql`update incidents set evidence = evidence || ${link}::jsonb where incident_id = ${incidentId}::bigint`,
  );
  return runInLanguage(await findValue<string>(db)`select user_language(${userKey})`, () => sayTwin(db, twin));
}

/** Adds the end of an incident to the news of its start, in each language. Pure. */
export function joinEnd(news: PendingNotice, ends: Words): PendingNotice {
  const says = news.says ?? { [DEFAULT_LANGUAGE]: news.say };
  const joined = Object.entries(says).map(([one, start]) => [one, `${start}\n\n${chooseWords(ends, one)}`] as const);
  return { ...news, says: Object.fromEntries(joined) };
}

/** Records that this person was notified, and that no news of the incident waits. */
export async function markNotified(
  db: Queryable,
  incidentId: string,
  { userKey, chatKey }: Pick<Recipient, 'userKey' | 'chatKey'>,
): Promise<void> {
  await db.query(sql`update incidents set told = ${userKey}, told_chat = ${chatKey}, told_at = clock_timestamp(),
      news = null, waits_since = null where incident_id = ${incidentId}::bigint`);
}

/** Puts news into the lane of a person, once per incident and `once`. */
export async function putNotice(
  db: Queryable,
  { incidentId, once }: { readonly incidentId: string; readonly once: string },
  { userKey, chatKey }: Pick<Recipient, 'userKey' | 'chatKey'>,
  news: News,
): Promise<NotifiedLane> {
  const traceId = newTraceId();
  await wakeLane(db, {
    kind: 'incident',
    channel: 'system',
    bot: 'incidents',
    updateId: `${incidentId}:${once}`.slice(0, 120), // Longest update id that an envelope may have
    userKey,
    chatKey,
    traceId,
    at: new Date().toISOString(),
    incidentId,
    ...redactValue(news),
  });
  return { userKey, traceId };
}
