import { z } from 'zod';
import { findMessage } from '../bot-access.ts';
import { createBadRequest } from '../../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import type { Store } from '../../store/store.ts';

export const ReplyParameters = z.looseObject({
  message_id: parameter.messageId.optional(),
  ephemeral_message_id: parameter.integer('ephemeral message identifier is not specified').optional(),
  allow_sending_without_reply: parameter.flag.default(false),
});

/** Finds the reply target, or null. Throws BotError 400 when it is required and missing, or ephemeral while the reply is public. */
export function findReplied(
  store: Store,
  chatId: number,
  reply: z.output<typeof ReplyParameters> | undefined,
  isEphemeral: boolean,
): StoredMessage | null {
  if (!reply) return null;
  const { message_id: messageId, ephemeral_message_id: ephemeralId } = reply;
  if (messageId === undefined && ephemeralId === undefined)
    throw createBadRequest('message identifier is not specified');
  if (messageId !== undefined) {
    const message = findMessage(store, chatId, messageId);
    if (message) return message;
    if (reply.allow_sending_without_reply && !isEphemeral) return null;
    throw createBadRequest('message to be replied not found');
  }
  const whispered = store.state.chats.get(chatId)?.get(ephemeralId ?? 0);
  const isThere = whispered?.ephemeral?.receiverId === store.bot.id && !whispered.deleted;
  if (!isThere || !isEphemeral) throw createBadRequest('message to be replied not found');
  return whispered;
}
