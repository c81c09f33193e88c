import type { ChatMember } from 'grammy/types';
import { z } from 'zod';
import { badRequest } from '../bot-error.ts';
import { requireChat, requireWritableChat } from '../bot-access.ts';
import { chatId, integer, parseParameters, type Parameters, threadId } from '../bot-parameters.ts';
import { toBotMember } from './bot-rights.ts';
import { readTopic } from './bot-topics.ts';
import { findChat } from '../../people/chat-shapes.ts';
import { GROUP, toUser } from '../../people/people.ts';
import type { Store } from '../../store/store.ts';

/** Clients show a chat action for five seconds. */
const CHAT_ACTION_MS = 5_000;
const SendChatAction = z.object({ chat_id: chatId, message_thread_id: threadId, action: z.string() });

/** sendChatAction: shows for five seconds or until the bot sends a message. */
export function sendChatAction(store: Store, parameters: Parameters): true {
  const given = parseParameters(SendChatAction, parameters);
  const chat = requireWritableChat(store, given.chat_id);
  const topic = readTopic(store, chat, given.message_thread_id);
  const expiresInMs = given.action === 'cancel' ? 0 : CHAT_ACTION_MS;
  store.typingUntil.set(chat, Date.now() + expiresInMs);
  store.announce({
    kind: 'chatAction',
    chatId: chat,
    topicId: topic?.topicId ?? null,
    action: given.action,
    expiresInMs,
  });
  return true;
}

const OneChat = z.object({ chat_id: chatId });

/** getChat: a private chat or the group. */
export function getChat(store: Store, parameters: Parameters): object {
  const chat = findChat(store.state, requireChat(store, parseParameters(OneChat, parameters).chat_id));
  if (!chat) throw badRequest('chat not found');
  const shared = { accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: NO_GIFTS };
  return chat.type === 'supergroup'
    ? { ...chat, ...shared, permissions: { can_send_messages: true } }
    : { ...chat, ...shared };
}

const NO_GIFTS = {
  unlimited_gifts: false,
  limited_gifts: false,
  unique_gifts: false,
  premium_subscription: false,
  gifts_from_channels: false,
};

const ChatMemberOf = OneChat.extend({ user_id: integer('invalid user_id specified') });

/** getChatMember: whether someone is in a chat; of all members only the bot can be an administrator. */
export function getChatMember(store: Store, parameters: Parameters): ChatMember {
  const given = parseParameters(ChatMemberOf, parameters);
  const chat = requireChat(store, given.chat_id);
  if (given.user_id === store.bot.id) {
    return toBotMember(store, chat === GROUP.id ? store.state.botStatus : 'member');
  }
  const person = store.state.people.get(given.user_id);
  if (!person) throw badRequest('user not found');
  const isMember = chat === GROUP.id ? person.inGroup : person.id === chat;
  return { status: isMember ? 'member' : 'left', user: toUser(person) };
}
