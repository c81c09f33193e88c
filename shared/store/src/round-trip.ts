import { createHash } from 'node:crypto';
import type { OutboundFile } from '@signalbox/contracts/conversation/envelope';
import type { Pool, Queryable } from './pool.ts';
import { findRow, findValue, hasRow, sql } from './sql.ts';
import type { PendingNotice } from './deploy/incident-news.ts';

// Test data of `doctor --round-trip`. Names contain the id of the round, so that nobody takes them for real data. Removed at the end.

/**
 * Stores test news of an ended incident that found no recipient, so that no list shows it as an open incident. Returns the id of the news
 * in the person's inbox.
 */
export async function putTestIncident(pool: Pool, round: string, userKey: string, say: string): Promise<string> {
  const news: PendingNotice = { once: 'test', recipients: [userKey], phase: 'closed', project: null, say, buttons: [] };
  const id = await findValue(pool, '')`
    insert into incidents (subject, kind, detail, closed_at, news, waits_since)
      values (${subjectOf(round)}, 'test', 'Tried by doctor.', clock_timestamp(), ${JSON.stringify(news)}::jsonb,
        clock_timestamp() - interval '6 seconds') returning incident_id::text`;
  return `${id}:test`;
}

/** Stores a small file that the test sends. */
export async function putTestFile(db: Queryable, round: string, userKey: string): Promise<OutboundFile> {
  const bytes = Buffer.from('Sent by doctor, to try out whether files arrive.\n');
  const artifactId = `art_doctor_${round}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await db.query(sql`
    insert into artifacts (id, action_id, place, turn_id, thread_id, user_key, name, mime_type, sha256, size_bytes, bytes)
      values (${artifactId}, ${subjectOf(round)}, 0, ${subjectOf(round)}, ${subjectOf(round)}, ${userKey}, 'round-trip.txt', 'text/plain',
        ${sha256}, ${bytes.length}, ${bytes})`);
  return { artifactId, name: 'round-trip.txt' };
}

type Delivery = { readonly status: string; readonly error: string | null };

/**
 * Reads the delivery state of a message: by its key, or as the answer to a run or to news of an incident. Null until the message exists.
 */
export function readDelivery(
  db: Queryable,
  of: { readonly key: string } | { readonly runId: string } | { readonly news: string },
): Promise<Delivery | null> {
  if ('key' in of) return findRow<Delivery>(db)`select status, error from outbox where key = ${of.key}`;
  const [bot, updateId] = 'runId' in of ? ['jobs', of.runId] : ['incidents', of.news];
  return findRow<Delivery>(db)`
    select o.status, o.error from inbox i join outbox o on o.trace_id = i.trace_id
     where i.bot = ${bot} and i.update_id = ${updateId} order by o.id desc limit 1`;
}

export function isTestEventSealed(db: Queryable, round: string): Promise<boolean> {
  return hasRow(db)`select 1 from audit_events e join audit_chain c on c.event_id = e.event_id
    where e.kind = 'round_trip.made' and e.data ->> 'id' = ${round}`;
}

/** Reads the name of the program that last registered a callback; null when there is none. */
export function readCallbackProgram(db: Queryable): Promise<string | null> {
  return findValue<string>(db)`
    select v.source from ingress_events v join users u on u.user_key = 'ingress-' || v.source
     where v.callback is not null order by v.received_at desc limit 1`;
}

/** Removes the test data of a round, and withdraws its messages that are not delivered yet. Idempotent. */
export async function removeTestData(db: Queryable, round: string): Promise<void> {
  await db.query(sql`delete from incidents where subject = ${subjectOf(round)}`);
  await db.query(sql`delete from artifacts where action_id = ${subjectOf(round)}`);
  await db.query(sql`delete from runs where run_id = ${`doctor:${round}`}`);
  await db.query(sql`update outbox set status = 'superseded', error = 'withdrawn by doctor'
    where starts_with(key, ${`doctor:${round}:`}) and status = 'pending'`);
}

function subjectOf(round: string): string {
  return `test:${round}`;
}
