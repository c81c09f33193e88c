import { InboundEnvelope, SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { sayError } from '@signalbox/messages/say';
import { putDeadLetter } from './conversation/dead-letters.ts';
import { putOutbox } from './conversation/outbox.ts';
import { withTransaction, type Pool } from './pool.ts';
import { listRows, sql } from './sql.ts';

/** Maximum number of messages per call; the next call handles the others. */
const MAX_ROWS = 100;

/**
 * Settles a person's open messages whose envelope cannot be parsed, because they would block the lane forever. Each becomes a dead letter
 * and gets one line as its answer. Returns the chats to wake. Idempotent.
 */
export async function settleUnreadable(pool: Pool, userKey: string): Promise<readonly string[]> {
  return withTransaction(pool, async (db) => {
    await db.query(sql`select 1 from lanes where user_key = ${userKey} for update`);
    const rows = await listRows<{ id: string; chatKey: string; traceId: string; envelope: unknown }>(db)`
      select id, chat_key as "chatKey", trace_id as "traceId", envelope from inbox
        where user_key = ${userKey} and outcome is null order by id limit ${MAX_ROWS}`;
    const unreadable = rows.filter(({ envelope }) => !isReadable(envelope));
    for (const { id, chatKey, traceId, envelope } of unreadable) {
      const reason = InboundEnvelope.safeParse(envelope).error?.issues[0];
      const ref = await putDeadLetter(db, {
        source: 'inbound',
        ref: id,
        userKey,
        reason: `it cannot be read: ${reason?.path.join('.') ?? ''} ${reason?.message ?? ''}`,
        body: envelope,
      });
      await db.query(sql`update inbox set outcome = 'dead-lettered', reason = ${ref}, settled_at = clock_timestamp()
          where id = ${id}`);
      await putOutbox(db, [
        {
          key: `unreadable:${id}`,
          chatKey,
          userKey,
          traceId,
          priority: SEND_PRIORITY.reply,
          body: { text: sayError('MESSAGE_UNREADABLE', { ref }), buttons: [] },
        },
      ]);
    }
    return unreadable.map(({ chatKey }) => chatKey);
  });
}

/** True when a stored envelope matches its schema. */
export function isReadable(envelope: unknown): envelope is InboundEnvelope {
  return InboundEnvelope.safeParse(envelope).success;
}
