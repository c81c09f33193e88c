import { z } from 'zod';
import { requireChat, requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { chatId, integer, parseParameters, type Parameters } from '../bot-parameters.ts';
import { GROUP } from '../../people/people.ts';
import { ICON_COLORS, MAX_TOPIC_NAME_LENGTH, type Topic } from '../../store/topic.ts';
import { changeTopic, createTopic, findTopic, removeTopic } from '../../store/topics.ts';
import type { World } from '../../store/world.ts';

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
export function createForumTopic(world: World, parameters: Parameters): object {
  const given = parseParameters(CreateForumTopic, parameters);
  const chat = requireForum(world, given.chat_id);
  requireRight(world, 'create a topic');
  const { topic } = createTopic(world, {
    chatId: chat,
    creatorId: world.bot.id,
    name: given.name,
    iconColor: given.icon_color,
  });
  return { message_thread_id: topic.topicId, name: topic.name, icon_color: topic.iconColor };
}

/** editForumTopic: a new name. */
export function editForumTopic(world: World, parameters: Parameters): true {
  const given = parseParameters(OneTopic.extend({ name: name.optional() }), parameters);
  changeTopic(world, requireOwnTopic(world, given), { by: world.bot.id, name: given.name });
  return true;
}

/** closeForumTopic: only administrators write there then. */
export function closeForumTopic(world: World, parameters: Parameters): true {
  const topic = requireOwnTopic(world, parseParameters(OneTopic, parameters));
  if (topic.isClosed) throw badRequest('TOPIC_NOT_MODIFIED');
  changeTopic(world, topic, { by: world.bot.id, isClosed: true });
  return true;
}

/** reopenForumTopic: everybody writes there again. */
export function reopenForumTopic(world: World, parameters: Parameters): true {
  const topic = requireOwnTopic(world, parseParameters(OneTopic, parameters));
  if (!topic.isClosed) throw badRequest('TOPIC_NOT_MODIFIED');
  changeTopic(world, topic, { by: world.bot.id, isClosed: false });
  return true;
}

/** deleteForumTopic: with all its messages. */
export function deleteForumTopic(world: World, parameters: Parameters): true {
  const given = parseParameters(OneTopic, parameters);
  const topic = requireTopic(world, requireForum(world, given.chat_id), given.message_thread_id);
  requireRight(world, 'delete a topic');
  removeTopic(world, topic);
  return true;
}

/** The topic that a call names, or null for none. Throws BotError 400 if the bot cannot write there. */
export function readTopic(world: World, chat: number, given: number | undefined): Topic | null {
  if (given === undefined || given === 0) return null;
  const topic = requireTopic(world, chat, given);
  if (topic.isClosed && world.state.botStatus !== 'administrator') throw badRequest('TOPIC_CLOSED');
  return topic;
}

/** Also the general topic has no number that could be named, and a private chat has no topics. */
function requireTopic(world: World, chat: number, topicId: number): Topic {
  const topic = findTopic(world, chat, topicId);
  if (!topic) throw badRequest('message thread not found');
  return topic;
}

function requireOwnTopic(world: World, given: z.output<typeof OneTopic>): Topic {
  const topic = requireTopic(world, requireForum(world, given.chat_id), given.message_thread_id);
  if (topic.creatorId !== world.bot.id) requireRight(world, 'edit the topic');
  return topic;
}

function requireForum(world: World, given: number | string): number {
  const chat = requireChat(world, given);
  if (chat !== GROUP.id) throw badRequest('the chat is not a forum');
  return requireWritableChat(world, chat);
}

function requireRight(world: World, deed: string): void {
  if (world.state.botStatus !== 'administrator') throw badRequest(`not enough rights to ${deed}`);
}
