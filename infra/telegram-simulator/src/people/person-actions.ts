import type { ReactionTypeEmoji } from 'grammy/types';
import { findChat } from './chat-shapes.ts';
import type { StoredMessage } from '../store/event.ts';
import { nowSeconds, putNewMessage, toDeleted, toForwarded } from '../store/new-message.ts';
import { GROUP, toUser } from './people.ts';
import { PersonError, requireMember, requireMessage } from './person-access.ts';
import { findReaction, isReaction, putReaction } from '../store/reactions.ts';
import { type Sent, sendUpdate } from '../store/sent-update.ts';
import type { Store } from '../store/store.ts';

interface OneMessage {
  readonly from: number;
  readonly chatId: number;
  readonly messageId: number;
}

/**
 * A person reacts to a message; null takes it back. The bot hears of it in a private chat, and in the group as an
 * administrator, if it asked for message_reaction.
 */
export function reactFromPerson(
  store: Store,
  action: OneMessage & { readonly emoji: string | null },
): { readonly updateId: number | null } {
  const person = requireMember(store, action.from, action.chatId);
  const message = requireMessage(store, action.chatId, action.messageId, person.id);
  const { emoji } = action;
  if (emoji !== null && !isReaction(emoji)) throw new PersonError(400, `Telegram has no reaction ${emoji}.`);
  if (message.ephemeral !== null) throw new PersonError(400, 'Nobody reacts to an ephemeral message.');
  const before = findReaction(message, person.id);
  putReaction(store, message, person.id, emoji);
  const chat = findChat(store.state, action.chatId);
  const isTold = action.chatId !== GROUP.id || store.state.botStatus === 'administrator';
  if (before === emoji || !isTold || !chat) return { updateId: null };
  return {
    updateId: store.updates.add({
      message_reaction: {
        chat,
        message_id: message.messageId,
        user: toUser(person),
        date: nowSeconds(),
        old_reaction: toReactionList(before),
        new_reaction: toReactionList(emoji),
      },
    }),
  };
}

/** A person deletes messages: any of their private chat, their own in the group. No update tells a bot of it. */
export function deleteFromPerson(
  store: Store,
  action: { readonly from: number; readonly chatId: number; readonly messageIds: readonly number[] },
): void {
  const person = requireMember(store, action.from, action.chatId);
  const messages = action.messageIds.map((id) => requireMessage(store, action.chatId, id, person.id));
  const foreign = messages.find((message) => action.chatId === GROUP.id && message.fromId !== person.id);
  if (foreign) throw new PersonError(403, 'In a group only the author can delete a message.');
  for (const message of messages) store.putMessage('delete', toDeleted(message));
}

/**
 * A person forwards a message that they see into a chat of theirs. Its buttons come along with their data: pressing one
 * there is how a click reaches the bot from a chat that its card was not meant for.
 */
export function forwardFromPerson(store: Store, action: OneMessage & { readonly toChatId: number }): Sent {
  const person = requireMember(store, action.from, action.chatId);
  requireMember(store, action.from, action.toChatId);
  const message = requireMessage(store, action.chatId, action.messageId, person.id);
  if (message.ephemeral !== null) throw new PersonError(400, 'This message cannot be forwarded.');
  const forwarded: StoredMessage = putNewMessage(store, {
    ...toForwarded(message),
    chatId: action.toChatId,
    fromId: person.id,
  });
  return sendUpdate(store, 'message', forwarded);
}

function toReactionList(emoji: string | null): ReactionTypeEmoji[] {
  return emoji !== null && isReaction(emoji) ? [{ type: 'emoji', emoji }] : [];
}
