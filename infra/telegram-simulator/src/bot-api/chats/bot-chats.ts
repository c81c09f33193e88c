import { z } from 'zod';
import { requireTopic, requireWritableChat } from '../bot-access.ts';
import { chatId, parseParameters, type Parameters, threadId } from '../bot-parameters.ts';
import type { Store } from '../../store/store.ts';

/** Clients show a chat action for five seconds. */
const CHAT_ACTION_MS = 5_000;
const SendChatAction = z.object({ chat_id: chatId, message_thread_id: threadId, action: z.string() });

/** sendChatAction: shows the action for five seconds or until the bot's next message. */
export function sendChatAction(store: Store, parameters: Parameters): true {
  const given = parseParameters(SendChatAction, parameters);
  const chat = requireWritableChat(store, given.chat_id);
  const topicId = requireTopic(chat, given.message_thread_id);
  const expiresInMs = given.action === 'cancel' ? 0 : CHAT_ACTION_MS;
  store.announce({ kind: 'chatAction', chatId: chat, topicId, action: given.action, expiresInMs });
  return true;
}
