import { z } from 'zod';
import { findMessage, requireChat, requireWritableChat } from '../bot-access.ts';
import { createBadRequest } from '../../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import { getUnixSeconds, toDeleted } from '../../store/new-message.ts';
import { GROUP } from '../../store/people.ts';
import type { Store } from '../../store/store.ts';

const MAX_AGE_SECONDS = 48 * 3_600;

const DeleteMessage = z.object({ chat_id: parameter.chatId, message_id: parameter.messageId });

/** deleteMessage: deletes the bot's messages; in private chats and as an administrator, all messages. */
export function deleteMessage(store: Store, parameters: Parameters): true {
  const given = parseParameters(DeleteMessage, parameters);
  const message = findMessage(store, requireReachableChat(store, given.chat_id), given.message_id);
  if (!message) throw createBadRequest('message to delete not found');
  checkDeletable(store, message);
  store.putMessage('delete', toDeleted(message));
  return true;
}

/** A bot may delete its messages even when the person has blocked it. */
function requireReachableChat(store: Store, given: number | string): number {
  const chatId = requireChat(store, given);
  return chatId === GROUP.id ? requireWritableChat(store, chatId) : chatId;
}

function checkDeletable(store: Store, message: StoredMessage): void {
  const isOwn = message.fromId === store.bot.id || store.state.botStatus === 'administrator';
  const isTooOld = getUnixSeconds() - message.date > MAX_AGE_SECONDS;
  if ((message.chatId === GROUP.id && !isOwn) || isTooOld) {
    throw createBadRequest("message can't be deleted");
  }
}
