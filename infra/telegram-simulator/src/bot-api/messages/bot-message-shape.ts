import type { Message, MessageOriginUser, User } from 'grammy/types';
import { findChat, type BotApiChat, toGroupChat, toSender } from '../../store/chat-shapes.ts';
import type { StoredMessage } from '../../store/event.ts';
import { toMediaFields } from '../../store/file-shapes.ts';
import type { SimulatorState } from '../../store/state.ts';
import { listTopics } from '../../store/topic.ts';

const TOPICS_OPENED = { by: 1001, at: 1_700_000_000 };

/** A message in a private chat or group, which always has a sender. */
export type BotMessage = Message & { readonly chat: BotApiChat; readonly from: User };

/** Converts a stored message to the Bot API's shape, including the message it replies to, one level deep. */
export function toBotMessage(state: SimulatorState, bot: User, message: StoredMessage): BotMessage {
  const own = toPlainMessage(state, bot, message);
  const replied = findReplied(state, bot, message);
  if (!replied) return own;
  // grammY requires `reply_to_message: undefined`, which exactOptionalPropertyTypes forbids.
  return { ...own, reply_to_message: replied as Message as NonNullable<BotMessage['reply_to_message']> };
}

/** In a topic, a message without a reply target replies to the message that opened the topic. */
function findReplied(state: SimulatorState, bot: User, message: StoredMessage): BotMessage | null {
  const replied = message.replyTo === null ? undefined : state.chats.get(message.chatId)?.get(message.replyTo);
  // Telegram may omit the original of a reply to an ephemeral message.
  if (replied && !replied.deleted && replied.ephemeral === null) return toPlainMessage(state, bot, replied);
  if (message.topicId === null || message.replyTo !== null || message.messageId === message.topicId) return null;
  const topic = listTopics(message.chatId).find(({ topicId }) => topicId === message.topicId);
  if (!topic) return null;
  return {
    message_id: topic.topicId,
    message_thread_id: topic.topicId,
    is_topic_message: true,
    from: toSender(state, bot, TOPICS_OPENED.by),
    chat: toGroupChat(),
    date: TOPICS_OPENED.at,
    forum_topic_created: { name: topic.name, icon_color: 7_322_096 },
  };
}

function toPlainMessage(state: SimulatorState, bot: User, message: StoredMessage): BotMessage {
  const { keyboard, topicId, forward } = message;
  return {
    ...toContent(state, message),
    ...toIds(state, bot, message),
    ...(topicId === null ? {} : { message_thread_id: topicId, is_topic_message: true }),
    from: toSender(state, bot, message.fromId),
    chat: findChat(state, message.chatId) ?? toGroupChat(),
    date: message.date,
    ...(forward === null ? {} : { forward_origin: toOrigin(state, bot, forward) }),
    ...(message.editDate === null ? {} : { edit_date: message.editDate }),
    ...(keyboard === null ? {} : { reply_markup: { inline_keyboard: keyboard.map((row) => [...row]) } }),
  };
}

function toOrigin(
  state: SimulatorState,
  bot: User,
  { fromId, date }: NonNullable<StoredMessage['forward']>,
): MessageOriginUser {
  return { type: 'user', sender_user: toSender(state, bot, fromId), date };
}

/** Ephemeral messages have no id in the chat. */
function toIds(state: SimulatorState, bot: User, { messageId, ephemeral }: StoredMessage): Pick<Message, 'message_id'> {
  if (ephemeral === null) return { message_id: messageId };
  const ids: Pick<Message, 'message_id' | 'ephemeral_message_id' | 'receiver_user'> = {
    message_id: 0,
    ephemeral_message_id: messageId,
    receiver_user: toSender(state, bot, ephemeral.receiverId),
  };
  return ids;
}

function toContent(state: SimulatorState, message: StoredMessage): Partial<Message> {
  if (message.rich !== null) return { rich_message: message.rich };
  const entities = [...message.entities];
  const file = message.fileId === null ? undefined : state.files.get(message.fileId);
  if (file) {
    return {
      ...toMediaFields(file),
      ...(message.text === '' ? {} : { caption: message.text }),
      ...(entities.length === 0 ? {} : { caption_entities: entities }),
      ...(message.albumId === null ? {} : { media_group_id: message.albumId }),
    };
  }
  return { text: message.text, ...(entities.length === 0 ? {} : { entities }) };
}
