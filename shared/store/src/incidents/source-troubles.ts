import { runInLanguage } from '@signalbox/messages/language';
import { closeIncident, openIncident } from '../deploy/incidents.ts';
import type { NotifiedLane } from '../deploy/incident-news.ts';
import { findRecipients } from '../people/recipients.ts';
import type { Pool } from '../pool.ts';
import { findValue, hasRow, sql } from '../sql.ts';
import { listIncidentPeople } from './incident-people.ts';

/** What can be wrong with a source itself. `flood`: more new alarms than are told. `throttled`: more requests than are taken. */
export type SourceTrouble = 'flood' | 'throttled' | 'unreadable';

/** The time in which one trouble of a source is told once. */
const CALM_MS = 3_600_000;

/** Tells the people of a source once what is wrong with it. Returns the lanes to wake. Idempotent. */
export async function openSourceTrouble(
  pool: Pool,
  trouble: {
    readonly source: string;
    readonly kind: SourceTrouble;
    readonly tells: readonly string[];
    readonly say: () => string;
  },
): Promise<readonly NotifiedLane[]> {
  const { source, kind, tells, say } = trouble;
  const subject = `alarm:${source}`;
  const isKnown = await hasRow(
    pool,
  )`select from incidents where subject = ${subject} and kind = ${kind} and closed_at is null
      and opened_at > clock_timestamp() - ${CALM_MS} * interval '1 ms'`;
  if (isKnown) return [];
  // A source that floods again after a while is told of again.
  await pool.query(sql`update incidents set closed_at = clock_timestamp(), news = null, waits_since = null
      where subject = ${subject} and kind = ${kind} and closed_at is null`);
  const people = await listIncidentPeople(pool, { project: null, environment: null });
  const recipients = [...new Set([...tells, ...people])];
  const [reader] = await findRecipients(pool, recipients);
  const language = await findValue<string>(pool)`select user_language(${reader?.userKey ?? null})`;
  const { notified } = await openIncident(pool, {
    subject,
    kind,
    detail: runInLanguage('en', say),
    evidence: {},
    recipients,
    project: null,
    say: runInLanguage(language, say),
    buttons: [],
    mutedUntil: null,
  });
  return notified === null ? [] : [notified];
}

/** Ends a trouble of a source, and says so to whoever was told. Idempotent. */
export async function closeSourceTrouble(
  pool: Pool,
  source: string,
  kind: SourceTrouble,
  say: string,
): Promise<readonly NotifiedLane[]> {
  const subject = `alarm:${source}`;
  const isOpen = await hasRow(
    pool,
  )`select from incidents where subject = ${subject} and kind = ${kind} and closed_at is null`;
  if (!isOpen) return [];
  const closed = await closeIncident(pool, { subject, kind, project: null, say });
  return closed?.notified ? [closed.notified] : [];
}
