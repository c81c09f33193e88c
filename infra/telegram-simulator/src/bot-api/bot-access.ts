import { badRequest, BotError } from '../bot-error.ts';
import type { StoredMessage } from '../store/event.ts';
import { findChat } from '../store/chat-shapes.ts';
import { GROUP } from '../store/people.ts';
import type { Store } from '../store/store.ts';
import { listTopics } from '../store/topic.ts';

/** The id of a chat that exists, or 400. */
export function requireChat(store: Store, chat: number | string): number {
  if (typeof chat === 'string' || !findChat(store.state, chat)) throw badRequest('chat not found');
  return chat;
}

/** The id of a chat that the bot may write to, or 400 or 403. */
export function requireWritableChat(store: Store, chat: number | string): number {
  const chatId = requireChat(store, chat);
  if (chatId === GROUP.id) return requireMembership(store, chatId);
  const contact = store.contactOf(chatId);
  if (contact.blocked) throw new BotError(403, 'Forbidden: bot was blocked by the user');
  if (!contact.started) throw new BotError(403, "Forbidden: bot can't initiate conversation with a user");
  return chatId;
}

/** A message that is there for everybody, or null: an ephemeral one has methods of its own. */
export function findMessage(store: Store, chatId: number, messageId: number): StoredMessage | null {
  const message = store.state.chats.get(chatId)?.get(messageId);
  return message && !message.deleted && message.ephemeral === null ? message : null;
}

/** A message of the bot that it may edit, or 400 or 403. */
export function requireOwnMessage(store: Store, chat: number | string, messageId: number): StoredMessage {
  const message = findMessage(store, requireWritableChat(store, chat), messageId);
  if (!message) throw badRequest('message to edit not found');
  if (message.fromId !== store.bot.id || message.forward !== null) throw badRequest("message can't be edited");
  return message;
}

/** The number of the topic that a call names, or null for none; 400 if there is none of that number. */
export function requireTopic(chatId: number, given: number | undefined): number | null {
  if (given === undefined || given === 0) return null;
  // The general topic has no number that could be named, and a private chat has no topics.
  if (listTopics(chatId).some(({ topicId }) => topicId === given)) return given;
  throw badRequest('message thread not found');
}

function requireMembership(store: Store, chatId: number): number {
  if (store.state.botStatus !== 'kicked') return chatId;
  throw new BotError(403, 'Forbidden: bot was kicked from the supergroup chat');
}
