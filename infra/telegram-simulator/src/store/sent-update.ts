import type { StoredMessage } from './entry.ts';
import { isShownToBot } from '../people/group-privacy.ts';
import { toBotMessage } from '../bot-api/messages/bot-message-shape.ts';
import type { World } from './world.ts';

/** A message and the update about it. `updateId` is null if the bot does not get to see it. */
export interface Sent {
  readonly updateId: number | null;
  readonly message: StoredMessage;
}

/** Tells the bot of a message, new or edited, if it may see it. */
export function sendUpdate(world: World, kind: 'message' | 'edited_message', message: StoredMessage): Sent {
  const replied = message.replyTo === null ? undefined : world.state.chats.get(message.chatId)?.get(message.replyTo);
  const isShown = isShownToBot({
    chatId: message.chatId,
    text: message.text,
    entities: message.entities,
    repliesToBot: replied?.fromId === world.bot.id,
    isService: message.service !== null,
    isForBot: message.ephemeral?.receiverId === world.bot.id,
    botStatus: world.state.botStatus,
  });
  if (!isShown) return { updateId: null, message };
  const body = toBotMessage(world.state, world.bot, message);
  // A message of a private or group chat is what both kinds of update hold; the library's type is a wider union.
  const updateId = world.updates.add(
    kind === 'message'
      ? { message: body }
      : { edited_message: { ...body, edit_date: message.editDate ?? message.date } },
  );
  return { updateId, message };
}
