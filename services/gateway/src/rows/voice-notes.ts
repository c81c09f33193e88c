import type { MessageEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, hasRow, listRows, sql, type Sql } from '@signalbox/store/sql';

/** A note claimed by this process. `tries` serves as the epoch of the claim. */
export interface ClaimedNote {
  readonly inboxId: number;
  readonly tries: number;
  readonly envelope: MessageEnvelope;
  readonly language: string | null;
}

/** A note whose question was answered by a button press. */
export interface AnsweredNote {
  readonly inboxId: number;
  readonly userKey: string;
  readonly status: 'asked' | 'confirmed' | 'declined' | 'void' | 'failed';
}

export function getVoiceQuestionKey(inboxId: number): string {
  return `voice:${inboxId}`;
}

/** Queues a note for transcription, in the transaction that admits it. Idempotent. */
export async function putVoiceNote(db: Queryable, inboxId: number): Promise<void> {
  await db.query(sql`insert into voice_notes (inbox_id) values (${inboxId}) on conflict do nothing`);
}

/** Claims the oldest waiting note of these accounts for `leaseMs`, also one whose claim expired; null when none waits. */
export function claimNote(
  db: Queryable,
  accounts: { readonly channels: readonly string[]; readonly bots: readonly string[] },
  leaseMs: number,
): Promise<ClaimedNote | null> {
  return findRow<ClaimedNote>(db, 'claim_note')`
    with taken as (
      update voice_notes n
         set tries = n.tries + 1, lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
       where n.inbox_id = (
         select v.inbox_id from voice_notes v join inbox i on i.id = v.inbox_id
          where v.status = 'waiting' and (v.lease_until is null or v.lease_until < clock_timestamp())
            and (i.channel, i.bot) in (select * from unnest(${accounts.channels}::text[], ${accounts.bots}::text[]))
          order by v.inbox_id limit 1 for update of v skip locked)
      returning n.inbox_id, n.tries)
    select t.inbox_id::float8 as "inboxId", t.tries, i.envelope,
           (select coalesce(u.language, u.client_language) from users u where u.user_key = i.user_key) as language
      from taken t join inbox i on i.id = t.inbox_id`;
}

/** Holds for the row of a note until another process claims it. */
const isHeld = ({ inboxId, tries }: ClaimedNote): Sql =>
  sql`inbox_id = ${inboxId} and tries = ${tries} and status = 'waiting'`;

export async function releaseNote(db: Queryable, note: ClaimedNote): Promise<void> {
  await db.query(sql`update voice_notes set lease_until = null where ${isHeld(note)}`);
}

/** Stores the transcript before the question is asked. False when the claim was lost. */
export function storeTranscript(db: Queryable, note: ClaimedNote, transcript: string): Promise<boolean> {
  return hasRow(db)`
    update voice_notes
       set status = 'asked', transcript = ${transcript}, lease_until = null, asked_at = clock_timestamp(),
           asked_after = (select max(i.id) from inbox i where i.user_key = ${note.envelope.userKey})
     where ${isHeld(note)}`;
}

export function failNote(db: Queryable, note: ClaimedNote): Promise<boolean> {
  return hasRow(db)`update voice_notes set status = 'failed', lease_until = null where ${isHeld(note)}`;
}

/** Finds and locks the note that an outbox row asked about; null when the row asks about none. */
export function findAnsweredNote(db: Queryable, outboxId: string): Promise<AnsweredNote | null> {
  return findRow<AnsweredNote>(db)`
    select n.inbox_id::float8 as "inboxId", i.user_key as "userKey", n.status
      from outbox o join voice_notes n on o.key = 'voice:' || n.inbox_id join inbox i on i.id = n.inbox_id
     where o.id = ${outboxId}::bigint for update of n`;
}

/** Holds when the sender has written in the chat since the question. Presses and other voice notes do not count. */
const IS_SUPERSEDED = sql`exists (
  select 1 from inbox w join inbox i on i.id = n.inbox_id
   where w.user_key = i.user_key and w.chat_key = i.chat_key and w.id > n.asked_after and w.kind in ('message', 'command')
     and coalesce(w.envelope -> 'button', 'null') = 'null' and not w.envelope ? 'spoken'
     and (w.kind = 'command' or w.envelope ->> 'text' <> ''))`;

/** A question may be answered for one day. */
const IS_OLD = sql`n.asked_at < clock_timestamp() - interval '1 day'`;

/** True when the sender has written since, or the question is too old: the transcript may no longer be used. */
export function isSuperseded(db: Queryable, inboxId: number): Promise<boolean> {
  return hasRow(db)`select 1 from voice_notes n where n.inbox_id = ${inboxId} and (${IS_SUPERSEDED} or ${IS_OLD})`;
}

/** Voids superseded questions, erases their transcripts and returns them. */
export function voidSuperseded(db: Queryable): Promise<readonly (VoidedNote & { readonly transcript: string })[]> {
  return listRows<VoidedNote & { readonly transcript: string }>(db, 'void_notes')`
    with gone as (
      select n.inbox_id, n.transcript from voice_notes n
       where n.status = 'asked' and (${IS_SUPERSEDED} or ${IS_OLD}) for update of n skip locked)
    update voice_notes n set status = 'void', transcript = null
      from gone g join inbox i on i.id = g.inbox_id left join users u on u.user_key = i.user_key
     where n.inbox_id = g.inbox_id
    returning n.inbox_id::float8 as "inboxId", g.transcript, i.envelope, coalesce(u.language, u.client_language) as language`;
}

export type VoidedNote = Pick<ClaimedNote, 'inboxId' | 'envelope' | 'language'>;

/** Turns the press on “yes” into a message with the transcript. A forwarded note stays marked as borrowed. */
export async function confirmNote(db: Queryable, inboxId: number, pressId: number): Promise<void> {
  await db.query(sql`
    update inbox p
       set envelope = p.envelope || jsonb_build_object('text', n.transcript, 'button', null, 'spoken', true)
                   || case when i.envelope ? 'borrowed' then jsonb_build_object('borrowed', i.envelope -> 'borrowed') else '{}' end
      from voice_notes n join inbox i on i.id = n.inbox_id
     where p.id = ${pressId} and n.inbox_id = ${inboxId}`);
  await settle(db, inboxId, 'confirmed');
}

export async function declineNote(db: Queryable, inboxId: number, pressId: number): Promise<void> {
  await db.query(
    sql`update inbox set outcome = 'answered', reason = 'voice declined', settled_at = now() where id = ${pressId}`,
  );
  await settle(db, inboxId, 'declined');
}

async function settle(db: Queryable, inboxId: number, status: AnsweredNote['status']): Promise<void> {
  await db.query(sql`update voice_notes set status = ${status}, transcript = null where inbox_id = ${inboxId}`);
}
