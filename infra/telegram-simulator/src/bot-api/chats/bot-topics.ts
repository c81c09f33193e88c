import { z } from 'zod';
import { requireChat, requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { chatId, integer, parseParameters, type Parameters } from '../bot-parameters.ts';
import { GROUP } from '../../people/people.ts';
import { ICON_COLORS, MAX_TOPIC_NAME_LENGTH, type Topic } from '../../store/topic.ts';
import { changeTopic, createTopic, findTopic, removeTopic } from '../../store/topics.ts';
import type { Store } from '../../store/store.ts';

const name = z
  .string({ error: 'TOPIC_TITLE_EMPTY' })
  .trim()
  .min(1, 'TOPIC_TITLE_EMPTY')
  .max(MAX_TOPIC_NAME_LENGTH, 'topic name is too long');
const OneChat = z.object({ chat_id: chatId });
const OneTopic = OneChat.extend({ message_thread_id: integer('message thread identifier is not specified') });
const CreateForumTopic = OneChat.extend({
  name,
  icon_color: integer('icon_color must be an Integer')
    .refine((color) => ICON_COLORS.includes(color), 'invalid icon color specified')
    .optional(),
});

/** createForumTopic: only as an administrator of the group. */
export function createForumTopic(store: Store, parameters: Parameters): object {
  const given = parseParameters(CreateForumTopic, parameters);
  const chat = requireForum(store, given.chat_id);
  requireRight(store, 'create a topic');
  const { topic } = createTopic(store, {
    chatId: chat,
    creatorId: store.bot.id,
    name: given.name,
    iconColor: given.icon_color,
  });
  return { message_thread_id: topic.topicId, name: topic.name, icon_color: topic.iconColor };
}

/** editForumTopic: a new name. */
export function editForumTopic(store: Store, parameters: Parameters): true {
  const given = parseParameters(OneTopic.extend({ name: name.optional() }), parameters);
  changeTopic(store, requireOwnTopic(store, given), { by: store.bot.id, name: given.name });
  return true;
}

/** closeForumTopic: only administrators write there then. */
export function closeForumTopic(store: Store, parameters: Parameters): true {
  const topic = requireOwnTopic(store, parseParameters(OneTopic, parameters));
  if (topic.isClosed) throw badRequest('TOPIC_NOT_MODIFIED');
  changeTopic(store, topic, { by: store.bot.id, isClosed: true });
  return true;
}

/** reopenForumTopic: everybody writes there again. */
export function reopenForumTopic(store: Store, parameters: Parameters): true {
  const topic = requireOwnTopic(store, parseParameters(OneTopic, parameters));
  if (!topic.isClosed) throw badRequest('TOPIC_NOT_MODIFIED');
  changeTopic(store, topic, { by: store.bot.id, isClosed: false });
  return true;
}

/** deleteForumTopic: with all its messages. */
export function deleteForumTopic(store: Store, parameters: Parameters): true {
  const given = parseParameters(OneTopic, parameters);
  const topic = requireTopic(store, requireForum(store, given.chat_id), given.message_thread_id);
  requireRight(store, 'delete a topic');
  removeTopic(store, topic);
  return true;
}

/** The topic that a call names, or null for none. Throws BotError 400 if the bot cannot write there. */
export function readTopic(store: Store, chat: number, given: number | undefined): Topic | null {
  if (given === undefined || given === 0) return null;
  const topic = requireTopic(store, chat, given);
  if (topic.isClosed && store.state.botStatus !== 'administrator') throw badRequest('TOPIC_CLOSED');
  return topic;
}

/** Also the general topic has no number that could be named, and a private chat has no topics. */
function requireTopic(store: Store, chat: number, topicId: number): Topic {
  const topic = findTopic(store, chat, topicId);
  if (!topic) throw badRequest('message thread not found');
  return topic;
}

function requireOwnTopic(store: Store, given: z.output<typeof OneTopic>): Topic {
  const topic = requireTopic(store, requireForum(store, given.chat_id), given.message_thread_id);
  if (topic.creatorId !== store.bot.id) requireRight(store, 'edit the topic');
  return topic;
}

function requireForum(store: Store, given: number | string): number {
  const chat = requireChat(store, given);
  if (chat !== GROUP.id) throw badRequest('the chat is not a forum');
  return requireWritableChat(store, chat);
}

function requireRight(store: Store, action: string): void {
  if (store.state.botStatus !== 'administrator') throw badRequest(`not enough rights to ${action}`);
}
