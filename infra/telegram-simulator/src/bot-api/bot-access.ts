import { createBadRequest, BotError } from '../bot-error.ts';
import type { StoredMessage } from '../store/event.ts';
import { findChat } from '../store/chat-shapes.ts';
import { GROUP } from '../store/people.ts';
import type { Store } from '../store/store.ts';
import { listTopics } from '../store/topic.ts';

/** Returns the id of an existing chat. Throws BotError 400. */
export function requireChat(store: Store, chat: number | string): number {
  if (typeof chat === 'string' || !findChat(store.state, chat)) throw createBadRequest('chat not found');
  return chat;
}

/** Returns the id of a chat that the bot may write to. Throws BotError 400 or 403. */
export function requireWritableChat(store: Store, chat: number | string): number {
  const chatId = requireChat(store, chat);
  if (chatId === GROUP.id) return requireMembership(store, chatId);
  const contact = store.contactOf(chatId);
  if (contact.blocked) throw new BotError(403, 'Forbidden: bot was blocked by the user');
  if (!contact.started) throw new BotError(403, "Forbidden: bot can't initiate conversation with a user");
  return chatId;
}

/** Finds a message that all members see, or null; ephemeral messages have methods of their own. */
export function findMessage(store: Store, chatId: number, messageId: number): StoredMessage | null {
  const message = store.state.chats.get(chatId)?.get(messageId);
  return message && !message.deleted && message.ephemeral === null ? message : null;
}

/** Returns a message that the bot may edit. Throws BotError 400 or 403. */
export function requireOwnMessage(store: Store, chat: number | string, messageId: number): StoredMessage {
  const message = findMessage(store, requireWritableChat(store, chat), messageId);
  if (!message) throw createBadRequest('message to edit not found');
  if (message.fromId !== store.bot.id || message.forward !== null) throw createBadRequest("message can't be edited");
  return message;
}

/** Returns the topic number of a call, or null for none. Throws BotError 400 for an unknown topic. */
export function requireTopic(chatId: number, given: number | undefined): number | null {
  if (given === undefined || given === 0) return null;
  // The general topic has no number, and private chats have no topics.
  if (listTopics(chatId).some(({ topicId }) => topicId === given)) return given;
  throw createBadRequest('message thread not found');
}

function requireMembership(store: Store, chatId: number): number {
  if (store.state.botStatus !== 'kicked') return chatId;
  throw new BotError(403, 'Forbidden: bot was kicked from the supergroup chat');
}
