import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { redactValue } from '@signalbox/safety/redact/redact';
import { wakeLane } from '../conversation/wake-lane.ts';
import { findRecipients, type Recipient } from '../people/recipients.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, listValues, sql } from '../sql.ts';

// News of an incident is committed before anybody is told, and waits in its row until somebody was:
//
//   null ──openIncident──▶ waiting ──notify: somebody can be reached──▶ null, `told` and `told_chat` say who and where
//                             └──nobody can──▶ stays; notifyWaiting tries again, the admins are told by another pool

/** Whose lane goes on, to be woken after the commit; a wake-up that is lost the sweeper sends. */
export interface Told {
  readonly userKey: string;
  readonly traceId: string;
}

type News = Pick<Extract<InboundEnvelope, { kind: 'incident' }>, 'phase' | 'project' | 'say' | 'quote' | 'buttons'>;

/** News that waits for somebody who can be told, with whom to try. */
export interface WaitingNews extends News {
  /** Names it among the news of its incident: each is told once. */
  readonly once: string;
  readonly recipients: readonly string[];
}

/** News that has waited for less may just be on its way. */
const ON_ITS_WAY_MS = 5_000;
/** Incidents that one round takes on. */
const BATCH = 100;

/** Tells what waits as soon as somebody can be reached; `admins` are tried after whom it concerns. Gives who was told. */
export async function notifyWaiting(pool: Pool, admins: readonly string[]): Promise<readonly Told[]> {
  const waiting = await listValues<string>(pool)`
    select incident_id::text from incidents
     where news is not null and waits_since < clock_timestamp() - ${ON_ITS_WAY_MS} * interval '1 ms'
     order by waits_since limit ${BATCH}`;
  const told: Told[] = [];
  for (const incidentId of waiting) {
    const one = await notify(pool, incidentId, admins);
    if (one !== null && one !== 'nobody') told.push(one);
  }
  return told;
}

/**
 * Tells the waiting news of an incident to the first person who can be reached; `nobody` when there is none, and then it waits on. Null
 * when none waits any more: it was told meanwhile. Idempotent.
 */
export function notify(
  pool: Pool,
  incidentId: string,
  admins: readonly string[] = [],
): Promise<Told | 'nobody' | null> {
  return withTransaction(pool, async (db) => {
    const row = await findRow<{ news: WaitingNews; told: string | null; chatKey: string | null }>(db)`
      select news, told, told_chat as "chatKey" from incidents
       where incident_id = ${incidentId}::bigint and news is not null for update`;
    if (!row) return null;
    const { once, recipients, ...news } = row.news;
    const [recipient] = await findRecipients(db, [...recipients, ...admins]);
    if (!recipient) return 'nobody';
    await markTold(db, incidentId, recipient);
    const isAnother = row.told !== null && recipient.chatKey !== row.chatKey;
    return putNews(db, { incidentId, once: isAnother ? `${once}:${recipient.chatKey}` : once }, recipient, news);
  });
}

/** Nothing of it waits any more: this person was told. */
export async function markTold(
  db: Queryable,
  incidentId: string,
  { userKey, chatKey }: Pick<Recipient, 'userKey' | 'chatKey'>,
): Promise<void> {
  await db.query(sql`update incidents set told = ${userKey}, told_chat = ${chatKey}, told_at = clock_timestamp(),
      news = null, waits_since = null where incident_id = ${incidentId}::bigint`);
}

/** Puts news into the lane of a person, once per incident and `once`. */
export async function putNews(
  db: Queryable,
  { incidentId, once }: { readonly incidentId: string; readonly once: string },
  { userKey, chatKey }: Pick<Recipient, 'userKey' | 'chatKey'>,
  news: News,
): Promise<Told> {
  const traceId = newTraceId();
  await wakeLane(db, {
    kind: 'incident',
    channel: 'system',
    bot: 'incidents',
    updateId: `${incidentId}:${once}`.slice(0, 120), // as long as an envelope takes
    userKey,
    chatKey,
    traceId,
    at: new Date().toISOString(),
    incidentId,
    ...redactValue(news),
  });
  return { userKey, traceId };
}
