import type { MessageEntity } from 'grammy/types';
import type { StoredMessage, BotStatus } from '../store/event.ts';
import { toBotMessage } from '../bot-api/messages/bot-message-shape.ts';
import type { Store } from '../store/store.ts';
import { BOT_USERNAME, GROUP } from '../store/people.ts';

interface PrivacyQuestion {
  readonly chatId: number;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly repliesToBot: boolean;
  /** True for an ephemeral message to the bot. */
  readonly isForBot: boolean;
  readonly botStatus: BotStatus;
}

/** A message with the id of its update; `updateId` is null when the bot does not see the message. */
export interface SentMessage {
  readonly updateId: number | null;
  readonly message: StoredMessage;
}

/** Queues the update for a new or edited message, if the bot may see it. */
export function sendUpdate(store: Store, kind: 'message' | 'edited_message', message: StoredMessage): SentMessage {
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

/** Applies Telegram's privacy mode: in groups, a bot that is no administrator receives only commands, mentions and replies to it. */
function isShownToBot(question: PrivacyQuestion): boolean {
  const { chatId, text, entities, botStatus } = question;
  if (chatId !== GROUP.id) return true;
  if (botStatus === 'kicked') return false;
  if (botStatus === 'administrator' || question.repliesToBot || question.isForBot) return true;
  return entities.some((entity) => {
    const part = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === 'mention') return part === `@${BOT_USERNAME}`;
    if (entity.type !== 'bot_command' || entity.offset !== 0) return false;
    const addressee = part.split('@')[1];
    return addressee === undefined || addressee === BOT_USERNAME;
  });
}
