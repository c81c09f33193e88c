import type { StoredMessage } from '../store/event.ts';
import { isShownToBot } from './group-privacy.ts';
import { toBotMessage } from '../bot-api/messages/bot-message-shape.ts';
import type { Store } from '../store/store.ts';

/** A message with the id of its update; `updateId` is null when the bot does not see the message. */
export interface Sent {
  readonly updateId: number | null;
  readonly message: StoredMessage;
}

/** Queues the update for a new or edited message, if the bot may see it. */
export function sendUpdate(store: Store, kind: 'message' | 'edited_message', message: StoredMessage): Sent {
  const replied = message.replyTo === null ? undefined : store.state.chats.get(message.chatId)?.get(message.replyTo);
  const isShown = isShownToBot({
    chatId: message.chatId,
    text: message.text,
    entities: message.entities,
    repliesToBot: replied?.fromId === store.bot.id,
    isForBot: message.ephemeral?.receiverId === store.bot.id,
    botStatus: store.state.botStatus,
  });
  if (!isShown) return { updateId: null, message };
  const body = toBotMessage(store.state, store.bot, message);
  // grammY's type is wider than the messages of private and group chats.
  const updateId = store.updates.add(
    kind === 'message'
      ? { message: body }
      : { edited_message: { ...body, edit_date: message.editDate ?? message.date } },
  );
  return { updateId, message };
}
