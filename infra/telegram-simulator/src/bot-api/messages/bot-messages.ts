import type { RichMessage } from 'grammy/types';
import { z } from 'zod';
import { requireTopic, requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import { findReplied, ReplyParameters } from './bot-reply.ts';
import { EphemeralParameters, readEphemeral } from './bot-whisper.ts';
import { endDraft } from '../../store/drafts.ts';
import type { StoredMessage } from '../../store/event.ts';
import { formatBotText, type FormattedText } from './message-entities.ts';
import { type BotMessage, toBotMessage } from './bot-message-shape.ts';
import { putNewMessage } from '../../store/new-message.ts';
import { MAX_TEXT_LENGTH } from '../../people/person-messages.ts';
import { toPlainText } from '../../rich/rich-text-form.ts';
import type { Store } from '../../store/store.ts';

/** What a message says: everything of it that an edit can replace. */
export type MessageContent = Pick<StoredMessage, 'text' | 'entities' | 'rich' | 'fileId'>;

/** Where and how a message is sent, whatever is in it. */
export const Target = z.object({
  chat_id: parameter.chatId,
  message_thread_id: parameter.threadId,
  ephemeral_message_parameters: parameter
    .jsonOf(EphemeralParameters, "can't parse ephemeral message parameters JSON object")
    .optional(),
  reply_parameters: parameter.jsonOf(ReplyParameters, "can't parse reply parameters JSON object").optional(),
  reply_markup: parameter.keyboard,
});

/** A text with its entities. */
export const PlainText = z.object({
  text: z.coerce.string().default(''),
  entities: parameter.entities,
  parse_mode: parameter.parseMode,
});

const SendMessage = Target.extend(PlainText.shape);

/** sendMessage: the bot writes to a chat that lets it. */
export function sendMessage(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(SendMessage, parameters);
  return sendContent(store, given, () => toPlainContent(given));
}

const SendRichMessage = Target.extend({ rich_message: parameter.richMessage });

/** sendRichMessage: the same with blocks. */
export function sendRichMessage(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(SendRichMessage, parameters);
  return sendContent(store, given, () => toRichContent(given.rich_message));
}

/** The content of a plain message. */
export function toPlainContent(given: z.output<typeof PlainText>): MessageContent {
  return { ...formatLimited(given.text, given.entities), rich: null, fileId: null };
}

/** A text as Telegram keeps it, if it is not too long. */
export function formatLimited(given: string, entities: z.output<typeof parameter.entities>): FormattedText {
  const formatted = formatBotText(given, entities);
  if (formatted.text.length > MAX_TEXT_LENGTH) throw badRequest('message is too long');
  return formatted;
}

/** The content of a message with blocks. */
export function toRichContent(rich: RichMessage): MessageContent {
  return { text: toPlainText(rich), entities: [], rich, fileId: null };
}

/** Sends what `read` answers, once the chat is known to take it. A reply goes to the topic of what it answers. */
export function sendContent(store: Store, target: z.output<typeof Target>, read: () => MessageContent): BotMessage {
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
  // The message itself ends a draft, as in clients.
  endDraft(store, chatId, 'sent');
  return toBotMessage(store.state, store.bot, message);
}
