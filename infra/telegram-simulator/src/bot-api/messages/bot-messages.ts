import type { RichMessage } from 'grammy/types';
import { z } from 'zod';
import { requireTopic, requireWritableChat, findMessage } from '../bot-access.ts';
import { createBadRequest } from '../../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import { EphemeralParameters, readEphemeral } from './bot-whisper.ts';
import { endDraft } from '../../store/drafts.ts';
import type { StoredMessage } from '../../store/event.ts';
import { formatBotText, type FormattedText } from './message-entities.ts';
import { type BotMessage, toBotMessage } from './bot-message-shape.ts';
import { putNewMessage } from '../../store/new-message.ts';
import { MAX_TEXT_LENGTH } from '../../people/person-messages.ts';
import { toPlainText } from '../../rich/rich-text-form.ts';
import type { Store } from '../../store/store.ts';

const ReplyParameters = z.looseObject({
  message_id: parameter.messageId.optional(),
  ephemeral_message_id: parameter.acceptInteger('ephemeral message identifier is not specified').optional(),
  allow_sending_without_reply: parameter.flag.default(false),
});

/** The parts of a message that an edit can replace. */
export type MessageContent = Pick<StoredMessage, 'text' | 'entities' | 'rich' | 'fileId'>;

/** Common parameters of all send methods. */
export const SendTarget = z.object({
  chat_id: parameter.chatId,
  message_thread_id: parameter.threadId,
  ephemeral_message_parameters: parameter
    .createJsonSchema(EphemeralParameters, "can't parse ephemeral message parameters JSON object")
    .optional(),
  reply_parameters: parameter.createJsonSchema(ReplyParameters, "can't parse reply parameters JSON object").optional(),
  reply_markup: parameter.keyboard,
});

/** Text with entities. */
export const TextParameters = z.object({
  text: z.coerce.string().default(''),
  entities: parameter.entities,
  parse_mode: parameter.parseMode,
});

const SendMessage = SendTarget.extend(TextParameters.shape);

/** sendMessage: sends a text to a chat that accepts messages from the bot. */
export function sendMessage(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(SendMessage, parameters);
  return sendContent(store, given, () => toPlainContent(given));
}

const SendRichMessage = SendTarget.extend({ rich_message: parameter.richMessage });

/** sendRichMessage: sends blocks. */
export function sendRichMessage(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(SendRichMessage, parameters);
  return sendContent(store, given, () => toRichContent(given.rich_message));
}

export function toPlainContent(given: z.output<typeof TextParameters>): MessageContent {
  return { ...formatLimited(given.text, given.entities), rich: null, fileId: null };
}

/** Formats a text as Telegram does. Throws BotError 400 when it is too long. */
export function formatLimited(given: string, entities: z.output<typeof parameter.entities>): FormattedText {
  const formatted = formatBotText(given, entities);
  if (formatted.text.length > MAX_TEXT_LENGTH) throw createBadRequest('message is too long');
  return formatted;
}

export function toRichContent(rich: RichMessage): MessageContent {
  return { text: toPlainText(rich), entities: [], rich, fileId: null };
}

/** Sends the content that `read` returns, after checking the chat. A reply goes to the topic of its target. */
export function sendContent(store: Store, target: z.output<typeof SendTarget>, read: () => MessageContent): BotMessage {
  const chatId = requireWritableChat(store, target.chat_id);
  const whisper = target.ephemeral_message_parameters;
  const content = read();
  const replied = findReplied(store, chatId, target.reply_parameters, whisper !== undefined);
  const topicId = requireTopic(chatId, target.message_thread_id ?? replied?.topicId ?? undefined);
  const message = putNewMessage(store, {
    chatId,
    fromId: store.bot.id,
    ...content,
    keyboard: target.reply_markup,
    replyTo: replied?.messageId ?? null,
    topicId,
    ephemeral: readEphemeral(store, chatId, whisper, replied),
  });
  // As in clients, the message ends its draft.
  endDraft(store, chatId, 'sent');
  return toBotMessage(store.state, store.bot, message);
}

/** Finds the reply target, or null. Throws BotError 400 when it is required and missing, or ephemeral while the reply is public. */
function findReplied(
  store: Store,
  chatId: number,
  reply: z.output<typeof ReplyParameters> | undefined,
  isEphemeral: boolean,
): StoredMessage | null {
  if (!reply) return null;
  const { message_id: messageId, ephemeral_message_id: ephemeralId } = reply;
  if (messageId === undefined && ephemeralId === undefined)
    throw createBadRequest('message identifier is not specified');
  if (messageId !== undefined) {
    const message = findMessage(store, chatId, messageId);
    if (message) return message;
    if (reply.allow_sending_without_reply && !isEphemeral) return null;
    throw createBadRequest('message to be replied not found');
  }
  const whispered = store.state.chats.get(chatId)?.get(ephemeralId ?? 0);
  const isThere = whispered?.ephemeral?.receiverId === store.bot.id && !whispered.deleted;
  if (!isThere || !isEphemeral) throw createBadRequest('message to be replied not found');
  return whispered;
}
