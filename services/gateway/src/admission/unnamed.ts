import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { HOUR_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { putLocalized } from '@signalbox/store/conversation/outbox';
import type { Queryable } from '@signalbox/store/pool';
import type { IncomingUpdate } from '../channels/channel.ts';
import { parseCommand } from '../commands/registry.ts';

/** Explains in a chat, at most once an hour, why anonymous messages are ignored. True when a message was queued; idempotent. */
export async function answerAnonymousSender(
  db: Queryable,
  update: Extract<IncomingUpdate, { kind: 'unnamed' }>,
): Promise<boolean> {
  const { as, chatKey, messageId, at } = update;
  // A group command that this bot does not know belongs to another bot.
  if (!update.named && parseCommand(update.text)?.name === null) return false;
  const chat = chatKey.split('/', 1)[0];
  const hour = Math.floor(Date.parse(at) / HOUR_MS);
  const put = await putLocalized(db, [chatKey], () => ({
    key: `unnamed:${as}:${chat}:${hour}`,
    chatKey,
    traceId: newTraceId(),
    priority: SEND_PRIORITY.control,
    body: { text: say(`admission.unnamed-${as}`), buttons: [], replyTo: messageId },
  }));
  return put.length > 0;
}
