import type { DeadLetter } from './dead-letters.ts';
import type { Queryable } from '../pool.ts';
import { IS_LANE_FREE } from './lane.ts';
import { findRow, listRows, sql } from '../sql.ts';

/** A dead letter with its state, for operators. */
export interface DeadLetterRow extends DeadLetter {
  readonly id: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

/** The lane or chat to wake after a retry. */
export type WakeTarget =
  | { readonly kind: 'lane'; readonly userKey: string; readonly traceId: string }
  | { readonly kind: 'chat'; readonly chatKey: string; readonly traceId: string };

export type RetryResult =
  | { readonly kind: 'retried'; readonly letter: DeadLetterRow; readonly wake: WakeTarget }
  /** The letter had already been retried or resolved; nothing was changed. */
  | { readonly kind: 'settled'; readonly letter: DeadLetterRow }
  | { readonly kind: 'refused'; readonly letter: DeadLetterRow; readonly reason: string }
  | { readonly kind: 'missing' };

const COLUMNS = sql`id, source, ref, user_key as "userKey", reason, body, created_at as "createdAt", resolved_at as "resolvedAt"`;

/** Lists dead letters, newest first; settled letters only on request. */
export function listDeadLetters(
  db: Queryable,
  options: { readonly settled: boolean; readonly limit: number },
): Promise<readonly DeadLetterRow[]> {
  return listRows<DeadLetterRow>(db)`select ${COLUMNS} from dead_letters where ${options.settled}
      or resolved_at is null order by created_at desc, id desc limit ${options.limit}`;
}

/** Finds a dead letter by its id. The id of a retried letter finds its newest copy. */
export function findDeadLetter(db: Queryable, id: string): Promise<DeadLetterRow | null> {
  return findRow<DeadLetterRow>(db)`select ${COLUMNS} from dead_letters where id = ${id}
      or starts_with(id, ${id} || '.') order by id <> ${id}, created_at desc limit 1`;
}

/** Marks a dead letter as resolved by hand. Idempotent. Null for an unknown id. */
export async function resolveDeadLetter(db: Queryable, id: string): Promise<DeadLetterRow | null> {
  await db.query(sql`update dead_letters set resolved_at = now() where id = ${id} and resolved_at is null`);
  return findDeadLetter(db, id);
}

/**
 * Requeues the work of a dead letter and settles the letter, in the caller's transaction. Idempotent. The settled letter gets a numbered
 * id and ref, so that a second failure becomes a letter of its own.
 */
export async function retryDeadLetter(db: Queryable, id: string): Promise<RetryResult> {
  await db.query(sql`select 1 from dead_letters where id = ${id} for update`);
  const letter = await findDeadLetter(db, id);
  if (!letter) return { kind: 'missing' };
  if (letter.resolvedAt !== null) return { kind: 'settled', letter };
  const back = await putBack(db, letter);
  if ('reason' in back) return { kind: 'refused', letter, reason: back.reason };
  await moveAside(db, letter.id);
  return { kind: 'retried', letter, wake: back.wake };
}

type PutBack = { readonly wake: WakeTarget } | { readonly reason: string };

function putBack(db: Queryable, letter: DeadLetterRow): Promise<PutBack> {
  switch (letter.source) {
    case 'inbound':
      return reopenMessage(db, letter);
    case 'outbound':
      return requeueReply(db, letter);
    case 'job':
      return refuse('A job is not started again from here: ask for it again, so that it is decided again.');
    case 'stream':
      return refuse('An entry of a stream is only a wake-up. What it stood for is in Postgres and was woken since.');
  }
}

async function reopenMessage(db: Queryable, letter: DeadLetterRow): Promise<PutBack> {
  if (!/^\d+$/.test(letter.ref))
    return refuse(
      'The message could never be stored, so there is nothing to try again. Ask its author to send it again.',
    );
  const row = await findRow<{
    user_key: string;
    trace_id: string;
    outcome: string | null;
    held: boolean;
    stopped: boolean;
  }>(db)`
    select i.user_key, i.trace_id, i.outcome, coalesce(l.stop_before, 0) > i.id as stopped,
            not ${IS_LANE_FREE} as held
       from inbox i join lanes l on l.user_key = i.user_key where i.id = ${letter.ref} for update`;
  if (!row) return refuse('The message is no longer in the inbox.');
  if (row.outcome !== 'dead-lettered')
    return refuse(`The message is not dead any more: it is ${row.outcome ?? 'open'}.`);
  if (row.stopped)
    return refuse('Its author has said /stop or /new since, which dropped it. Ask them to send it again.');
  if (row.held) return refuse('Its author is being served right now. Try again in a moment.');
  await db.query(sql`update inbox set outcome = null, reason = null, turn_id = null, settled_at = null
      where id = ${letter.ref}`);
  // Failed attempts may have left a checkpoint and effects, so the next turn counts as resumed.
  await db.query(sql`update lanes set attempts = 0, begun = greatest(begun, 1), not_before = null
      where user_key = ${row.user_key}`);
  return { wake: { kind: 'lane', userKey: row.user_key, traceId: row.trace_id } };
}

async function requeueReply(db: Queryable, letter: DeadLetterRow): Promise<PutBack> {
  const row = await findRow<{ chat_key: string; trace_id: string; status: string; parked: string | null }>(db)`
    select o.chat_key, o.trace_id, o.status, case when c.parked_at is not null then coalesce(c.parked_reason, '') end as parked
       from outbox o left join chats c on c.chat_key = o.chat_key where o.id = ${letter.ref}::bigint for update of o`;
  if (!row) return refuse('The reply is no longer in the outbox.');
  if (row.status !== 'failed' && row.status !== 'undeliverable')
    return refuse(`The reply is not dead any more: it is ${row.status}.`);
  if (row.parked !== null)
    return refuse(`The chat is parked (${row.parked}). It opens when somebody writes there; then retry.`);
  await db.query(sql`update outbox set status = 'pending', attempts = 0, error = null
      where id = ${letter.ref}::bigint`);
  return { wake: { kind: 'chat', chatKey: row.chat_key, traceId: row.trace_id } };
}

async function moveAside(db: Queryable, id: string): Promise<void> {
  await db.query(sql`
    update dead_letters d set resolved_at = now(), id = d.id || '.' || n.next, ref = d.ref || '.' || n.next
       from (select 1 + count(*) as next from dead_letters x where starts_with(x.id, ${id} || '.')) n
      where d.id = ${id}`);
}

function refuse(reason: string): Promise<{ readonly reason: string }> {
  return Promise.resolve({ reason });
}
