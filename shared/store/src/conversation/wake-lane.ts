import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Queryable } from '../pool.ts';
import { sql } from '../sql.ts';

type WithoutId<E> = E extends unknown ? Omit<E, 'id'> : never;

/**
 * Puts a system message into a person's lane as an inbox row, like a message from the person. Idempotent by channel, bot and update id.
 * The caller publishes the wake-up after the commit.
 */
export async function wakeLane(db: Queryable, message: WithoutId<InboundEnvelope>): Promise<void> {
  const { channel, bot, updateId, userKey, chatKey, kind, traceId } = message;
  const envelope = { ...message, id: `${channel}:${bot}:${updateId}` };
  await db.query(sql`insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values (${channel}, ${bot}, ${updateId}, ${userKey}, ${chatKey}, ${kind}, ${JSON.stringify(envelope)}::jsonb, ${traceId})
       on conflict (channel, bot, update_id) do nothing`);
  await db.query(sql`insert into lanes (user_key) values (${userKey}) on conflict do nothing`);
}
