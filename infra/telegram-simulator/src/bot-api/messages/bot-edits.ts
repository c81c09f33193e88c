import type { RichMessage } from 'grammy/types';
import { z } from 'zod';
import { requireOwnMessage } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { Caption, formatCaption } from './bot-media.ts';
import { type MessageContent, PlainText, toRichContent, toPlainContent } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import { type BotMessage, toBotMessage } from './bot-message-shape.ts';
import { nowSeconds } from '../../store/new-message.ts';
import type { Store } from '../../store/store.ts';

const OneMessage = z.object({ chat_id: parameter.chatId, message_id: parameter.messageId });
const EditMessageText = OneMessage.extend(PlainText.shape).extend({
  rich_message: parameter.richMessage.optional(),
  reply_markup: parameter.keyboard,
});

/** editMessageText: a text becomes another one, or blocks. Without reply_markup the buttons go, as in Telegram. */
export function editMessageText(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageText, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  if (old.fileId !== null) throw badRequest('there is no text in the message to edit');
  return changeMessage(store, old, {
    ...old,
    ...readNewContent(given),
    keyboard: given.reply_markup,
    editDate: nowSeconds(),
  });
}

const EditMessageCaption = OneMessage.extend(Caption.shape).extend({ reply_markup: parameter.keyboard });

/** editMessageCaption: changes or removes the text below a file. */
export function editMessageCaption(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageCaption, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  if (old.fileId === null) throw badRequest('there is no caption in the message to edit');
  const keyboard = given.reply_markup;
  return changeMessage(store, old, { ...old, ...formatCaption(given), keyboard, editDate: nowSeconds() });
}

const EditMessageReplyMarkup = OneMessage.extend({ reply_markup: parameter.keyboard });

/** editMessageReplyMarkup: changes or removes the buttons; the message does not show as edited. */
export function editMessageReplyMarkup(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageReplyMarkup, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  return changeMessage(store, old, { ...old, keyboard: given.reply_markup });
}

/** What an edit says instead: a text, or blocks. Throws BotError 400 if it is both. */
export function readNewContent(
  given: z.output<typeof PlainText> & { readonly rich_message?: RichMessage | undefined },
): MessageContent {
  if (given.rich_message === undefined) return toPlainContent(given);
  if (given.text !== '') throw badRequest('exactly one of the parameters text and rich_message must be used');
  return toRichContent(given.rich_message);
}

/** Stores the new version of a message; null if it says and shows the same as before. */
export function changeContent(store: Store, old: StoredMessage, next: StoredMessage): StoredMessage | null {
  const isSame = (['text', 'entities', 'rich', 'keyboard'] as const).every(
    (field) => JSON.stringify(old[field]) === JSON.stringify(next[field]),
  );
  return isSame ? null : store.putMessage('edit', next);
}

function changeMessage(store: Store, old: StoredMessage, next: StoredMessage): BotMessage {
  const changed = changeContent(store, old, next);
  if (changed) return toBotMessage(store.state, store.bot, changed);
  throw badRequest(
    'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  );
}
