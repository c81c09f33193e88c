import { z } from 'zod';
import { badRequest, BotError } from './bot-error.ts';
import * as parameter from './bot-parameters.ts';
import { parseParameters, type Parameters } from './bot-parameters.ts';
import type { StoredMessage } from './entry.ts';
import { formatBotText } from './message-entities.ts';
import { findChat, type TextMessage, toBotMessage } from './message-shapes.ts';
import { MAX_TEXT_LENGTH, nowSeconds } from './person-actions.ts';
import { GROUP } from './people.ts';
import type { World } from './world.ts';

const text = z.coerce.string().default('');
const ReplyParameters = z.looseObject({
  message_id: parameter.messageId,
  allow_sending_without_reply: parameter.flag.default(false),
});

const SendMessage = z.object({
  chat_id: parameter.chatId,
  text,
  entities: parameter.entities,
  parse_mode: parameter.parseMode,
  reply_parameters: parameter.jsonOf(ReplyParameters, "can't parse reply parameters JSON object").optional(),
  reply_markup: parameter.keyboard,
});

/** sendMessage: the bot writes to a chat that lets it. */
export function sendMessage(world: World, parameters: Parameters): TextMessage {
  const given = parseParameters(SendMessage, parameters);
  const chatId = requireWritableChat(world, given.chat_id);
  const formatted = formatLimited(given.text, given.entities);
  const message = world.putMessage('message', {
    chatId,
    messageId: world.state.next.messageId,
    fromId: world.bot.id,
    date: nowSeconds(),
    text: formatted.text,
    entities: formatted.entities,
    keyboard: given.reply_markup,
    replyTo: findReplied(world, chatId, given.reply_parameters),
    editDate: null,
    deleted: false,
  });
  // The message itself ends "typing", as in clients.
  world.typingUntil.delete(chatId);
  return toBotMessage(world.state, world.bot, message);
}

const EditMessageText = SendMessage.pick({
  chat_id: true,
  text: true,
  entities: true,
  parse_mode: true,
  reply_markup: true,
}).extend({
  message_id: parameter.messageId,
});

/** editMessageText. Without reply_markup the buttons go, as in Telegram. */
export function editMessageText(world: World, parameters: Parameters): TextMessage {
  const given = parseParameters(EditMessageText, parameters);
  const old = requireOwnMessage(world, given.chat_id, given.message_id);
  const formatted = formatLimited(given.text, given.entities);
  return changeMessage(world, old, {
    ...old,
    text: formatted.text,
    entities: formatted.entities,
    keyboard: given.reply_markup,
    editDate: nowSeconds(),
  });
}

const EditMessageReplyMarkup = EditMessageText.pick({ chat_id: true, message_id: true, reply_markup: true });

/** editMessageReplyMarkup: changes or removes the buttons; the message does not show as edited. */
export function editMessageReplyMarkup(world: World, parameters: Parameters): TextMessage {
  const given = parseParameters(EditMessageReplyMarkup, parameters);
  const old = requireOwnMessage(world, given.chat_id, given.message_id);
  return changeMessage(world, old, { ...old, keyboard: given.reply_markup });
}

const DeleteMessage = z.object({ chat_id: parameter.chatId, message_id: parameter.messageId });

/** deleteMessage: its own anywhere, anybody's in a private chat. */
export function deleteMessage(world: World, parameters: Parameters): true {
  const given = parseParameters(DeleteMessage, parameters);
  const chatId = requireChat(world, given.chat_id);
  const message = world.state.chats.get(chatId)?.get(given.message_id);
  if (!message || message.deleted) throw badRequest('message to delete not found');
  if (chatId === GROUP.id && message.fromId !== world.bot.id) throw badRequest("message can't be deleted");
  world.putMessage('delete', { ...message, text: '', entities: [], keyboard: null, deleted: true });
  return true;
}

/** The id of a chat that exists, or 400. */
export function requireChat(world: World, chat: number | string): number {
  if (typeof chat === 'string' || !findChat(world.state, chat)) throw badRequest('chat not found');
  return chat;
}

/** The id of a chat that the bot may write to, or 400 or 403. */
export function requireWritableChat(world: World, chat: number | string): number {
  const chatId = requireChat(world, chat);
  if (chatId === GROUP.id) return chatId;
  const contact = world.contactOf(chatId);
  if (contact.blocked) throw new BotError(403, 'Forbidden: bot was blocked by the user');
  if (!contact.started) throw new BotError(403, "Forbidden: bot can't initiate conversation with a user");
  return chatId;
}

function requireOwnMessage(world: World, chat: number | string, messageId: number): StoredMessage {
  const chatId = requireWritableChat(world, chat);
  const message = world.state.chats.get(chatId)?.get(messageId);
  if (!message || message.deleted) throw badRequest('message to edit not found');
  if (message.fromId !== world.bot.id) throw badRequest("message can't be edited");
  return message;
}

function changeMessage(world: World, old: StoredMessage, next: StoredMessage): TextMessage {
  const isSame =
    old.text === next.text &&
    JSON.stringify(old.entities) === JSON.stringify(next.entities) &&
    JSON.stringify(old.keyboard) === JSON.stringify(next.keyboard);
  if (isSame) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  return toBotMessage(world.state, world.bot, world.putMessage('edit', next));
}

function formatLimited(given: string, entities: z.output<typeof parameter.entities>): ReturnType<typeof formatBotText> {
  const formatted = formatBotText(given, entities);
  if (formatted.text.length > MAX_TEXT_LENGTH) throw badRequest('message is too long');
  return formatted;
}

function findReplied(world: World, chatId: number, reply: z.output<typeof ReplyParameters> | undefined): number | null {
  if (!reply) return null;
  const message = world.state.chats.get(chatId)?.get(reply.message_id);
  if (message && !message.deleted) return message.messageId;
  if (reply.allow_sending_without_reply) return null;
  throw badRequest('message to be replied not found');
}
