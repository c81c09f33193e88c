import { SEND_PRIORITY, type OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { IS_LANE_FREE } from '@signalbox/store/conversation/lane';
import { sql } from '@signalbox/store/sql';
import type { HandlerOf } from '../runner/handlers.ts';
import { wakeChats } from '../runner/wake-chats.ts';

export interface ExpiredThread {
  readonly threadId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly title: string | null;
  readonly language: string | null;
  /** True when the conversation waited for an answer: its person is notified at once, other people with their next reply. */
  readonly announced: boolean;
}

/** Maximum of conversations per transaction, which locks their lanes. */
const BATCH = 50;

/** Ends conversations that were idle for too long, and notifies people with an open question. */
export function createThreadExpiryHandler(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly idleMs: number;
}): HandlerOf<'threads.expire'> {
  return {
    title: () => say('jobs.closingIdleConversations'),
    run: async (_, { signal, log }) => {
      let expired = 0;
      for (;;) {
        signal.throwIfAborted();
        const traceId = newTraceId();
        const toMessage = (thread: ExpiredThread): OutboundEnvelope =>
          buildExpiryMessage(thread, parts.idleMs, traceId);
        const threads = await expireThreads(parts.pool, { idleMs: parts.idleMs, limit: BATCH, toMessage });
        const told = threads.filter((thread) => thread.announced).map(({ chatKey }) => chatKey);
        await wakeChats({ publisher: parts.publisher, log }, told, traceId);
        expired += threads.length;
        if (threads.length < BATCH) return { expired };
      }
    },
    say: ({ expired }) => say('control.threadsExpired', { count: expired }),
    isNotable: ({ expired }) => expired > 0,
  };
}

function buildExpiryMessage(thread: ExpiredThread, idleMs: number, traceId: string): OutboundEnvelope {
  const minutes = Math.round(idleMs / MINUTE_MS);
  const hasTitle = String(thread.title !== null);
  return {
    key: `expired:${thread.threadId}`,
    chatKey: thread.chatKey,
    userKey: thread.userKey,
    threadId: thread.threadId,
    traceId,
    priority: SEND_PRIORITY.reply,
    body: { text: say('control.threadExpired', { hasTitle, title: thread.title ?? '', minutes }), buttons: [] },
  };
}

/**
 * Locks a free lane and checks idleness in one statement: a turn that begins now finds the conversation expired, and a turn that has just
 * ended keeps it open. Lanes that another process is locking wait for the next run (skip locked).
 */
const expire = (idleMs: number, limit: number) => sql`
  with idle as (
    select thread_id, user_key from threads t
     where t.status = 'open' and t.last_active_at < clock_timestamp() - ${idleMs} * interval '1 ms'
       and not thread_waits(t.thread_id)
     order by t.last_active_at limit ${limit}),
  free as materialized (
    select l.user_key from lanes l
     where l.user_key in (select user_key from idle)
       and ${IS_LANE_FREE}
       and not exists (select 1 from inbox i where i.user_key = l.user_key and i.outcome is null)
     for update skip locked)
  update threads t set status = 'expired', announced = t.awaiting, awaiting = false, ended_at = clock_timestamp()
    from idle, free
   where t.thread_id = idle.thread_id and t.user_key = free.user_key
     and t.status = 'open' and t.last_active_at < clock_timestamp() - ${idleMs} * interval '1 ms'
  returning t.thread_id as "threadId", t.user_key as "userKey", t.chat_key as "chatKey", t.title, t.announced,
    user_language(t.user_key) as language`;

/** Ends up to `limit` conversations idle for `idleMs` with a free lane. `toMessage` notifies people who owed an answer. */
export function expireThreads(
  pool: Pool,
  options: {
    readonly idleMs: number;
    readonly limit: number;
    readonly toMessage: (thread: ExpiredThread) => OutboundEnvelope;
  },
): Promise<readonly ExpiredThread[]> {
  return withTransaction(pool, async (db) => {
    const { rows } = await db.query<ExpiredThread>(expire(options.idleMs, options.limit));
    for (const thread of rows.filter(({ announced }) => announced))
      await runInLanguage(thread.language, () => putOutbox(db, [options.toMessage(thread)]));
    return rows;
  });
}
