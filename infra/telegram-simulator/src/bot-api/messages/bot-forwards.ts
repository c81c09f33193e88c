import { z } from 'zod';
import { findMessage, requireChat, requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { toBotMessage } from './bot-message-shape.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import { readTopic } from '../chats/bot-topics.ts';
import type { StoredMessage } from '../../store/event.ts';
import { putNewMessage, toForwarded } from '../../store/new-message.ts';
import type { Store } from '../../store/store.ts';

const Forward = z.object({
  chat_id: parameter.chatId,
  from_chat_id: parameter.chatId,
  message_id: parameter.messageId,
  message_thread_id: parameter.threadId,
  reply_markup: parameter.keyboard,
});
type Forward = z.output<typeof Forward>;

/** forwardMessage: somebody's message in another chat, with where it came from. */
export function forwardMessage(store: Store, parameters: Parameters): object {
  const given = parseParameters(Forward, parameters);
  const message = requireSource(store, given, 'forward');
  const sent = put(store, given, { ...toForwarded(message), keyboard: null });
  return toBotMessage(store.state, store.bot, sent);
}

/** copyMessage: the same without where it came from. */
export function copyMessage(store: Store, parameters: Parameters): object {
  const given = parseParameters(Forward, parameters);
  const { text, entities, rich, fileId } = requireSource(store, given, 'copy');
  const sent = put(store, given, { text, entities, rich, fileId, keyboard: given.reply_markup });
  return { message_id: sent.messageId };
}

function requireSource(store: Store, given: Forward, action: 'forward' | 'copy'): StoredMessage {
  const message = findMessage(store, requireChat(store, given.from_chat_id), given.message_id);
  if (!message) throw badRequest(`message to ${action} not found`);
  if (message.service !== null) throw badRequest(`the message can't be ${action === 'copy' ? 'copied' : 'forwarded'}`);
  return message;
}

function put(
  store: Store,
  given: Forward,
  content: Pick<StoredMessage, 'text'> & Partial<Omit<StoredMessage, 'seq'>>,
): StoredMessage {
  const chatId = requireWritableChat(store, given.chat_id);
  const topic = readTopic(store, chatId, given.message_thread_id);
  return putNewMessage(store, { ...content, chatId, fromId: store.bot.id, topicId: topic?.topicId ?? null });
}
