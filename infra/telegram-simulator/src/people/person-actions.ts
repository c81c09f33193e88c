import type { ReactionTypeEmoji } from 'grammy/types';
import { findChat } from './chat-shapes.ts';
import type { StoredMessage } from '../store/entry.ts';
import { nowSeconds, putNewMessage, toDeleted, toForwarded } from '../store/new-message.ts';
import { GROUP, toUser } from './people.ts';
import { PersonError, requireMember, requireMessage } from './person-access.ts';
import { findReaction, isReaction, putReaction } from '../store/reactions.ts';
import { type Sent, sendUpdate } from '../store/sent-update.ts';
import type { World } from '../store/world.ts';

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
  world: World,
  deed: OneMessage & { readonly emoji: string | null },
): { readonly updateId: number | null } {
  const person = requireMember(world, deed.from, deed.chatId);
  const message = requireMessage(world, deed.chatId, deed.messageId, person.id);
  const { emoji } = deed;
  if (emoji !== null && !isReaction(emoji)) throw new PersonError(400, `Telegram has no reaction ${emoji}.`);
  if (message.ephemeral !== null) throw new PersonError(400, 'Nobody reacts to an ephemeral message.');
  const before = findReaction(message, person.id);
  putReaction(world, message, person.id, emoji);
  const chat = findChat(world.state, deed.chatId);
  const isTold = deed.chatId !== GROUP.id || world.state.botStatus === 'administrator';
  if (before === emoji || !isTold || !chat) return { updateId: null };
  return {
    updateId: world.updates.add({
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
  world: World,
  deed: { readonly from: number; readonly chatId: number; readonly messageIds: readonly number[] },
): void {
  const person = requireMember(world, deed.from, deed.chatId);
  const messages = deed.messageIds.map((id) => requireMessage(world, deed.chatId, id, person.id));
  const foreign = messages.find((message) => deed.chatId === GROUP.id && message.fromId !== person.id);
  if (foreign) throw new PersonError(403, 'In a group only the author can delete a message.');
  for (const message of messages) world.putMessage('delete', toDeleted(message));
}

/**
 * A person forwards a message that they see into a chat of theirs. Its buttons come along with their data: pressing one
 * there is how a click reaches the bot from a chat that its card was not meant for.
 */
export function forwardFromPerson(world: World, deed: OneMessage & { readonly toChatId: number }): Sent {
  const person = requireMember(world, deed.from, deed.chatId);
  requireMember(world, deed.from, deed.toChatId);
  const message = requireMessage(world, deed.chatId, deed.messageId, person.id);
  if (message.service !== null || message.ephemeral !== null) {
    throw new PersonError(400, 'This message cannot be forwarded.');
  }
  const forwarded: StoredMessage = putNewMessage(world, {
    ...toForwarded(message),
    chatId: deed.toChatId,
    fromId: person.id,
  });
  return sendUpdate(world, 'message', forwarded);
}

function toReactionList(emoji: string | null): ReactionTypeEmoji[] {
  return emoji !== null && isReaction(emoji) ? [{ type: 'emoji', emoji }] : [];
}
