import { z } from 'zod';
import { findMessage, requireChat, requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { toBotMessage } from './bot-message-shape.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import { readTopic } from '../chats/bot-topics.ts';
import type { StoredMessage } from '../../store/entry.ts';
import { putNewMessage, toForwarded } from '../../store/new-message.ts';
import type { World } from '../../store/world.ts';

const Forward = z.object({
  chat_id: parameter.chatId,
  from_chat_id: parameter.chatId,
  message_id: parameter.messageId,
  message_thread_id: parameter.threadId,
  reply_markup: parameter.keyboard,
});
type Forward = z.output<typeof Forward>;

/** forwardMessage: somebody's message in another chat, with where it came from. */
export function forwardMessage(world: World, parameters: Parameters): object {
  const given = parseParameters(Forward, parameters);
  const message = requireSource(world, given, 'forward');
  const sent = put(world, given, { ...toForwarded(message), keyboard: null });
  return toBotMessage(world.state, world.bot, sent);
}

/** copyMessage: the same without where it came from. */
export function copyMessage(world: World, parameters: Parameters): object {
  const given = parseParameters(Forward, parameters);
  const { text, entities, rich, fileId } = requireSource(world, given, 'copy');
  const sent = put(world, given, { text, entities, rich, fileId, keyboard: given.reply_markup });
  return { message_id: sent.messageId };
}

function requireSource(world: World, given: Forward, deed: 'forward' | 'copy'): StoredMessage {
  const message = findMessage(world, requireChat(world, given.from_chat_id), given.message_id);
  if (!message) throw badRequest(`message to ${deed} not found`);
  if (message.service !== null) throw badRequest(`the message can't be ${deed === 'copy' ? 'copied' : 'forwarded'}`);
  return message;
}

function put(
  world: World,
  given: Forward,
  content: Pick<StoredMessage, 'text'> & Partial<Omit<StoredMessage, 'seq'>>,
): StoredMessage {
  const chatId = requireWritableChat(world, given.chat_id);
  const topic = readTopic(world, chatId, given.message_thread_id);
  return putNewMessage(world, { ...content, chatId, fromId: world.bot.id, topicId: topic?.topicId ?? null });
}
