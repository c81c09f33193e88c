import { z } from 'zod';
import { requireOwnMessage } from '../bot-access.ts';
import { createBadRequest } from '../../bot-error.ts';
import { TextParameters, toRichContent, toPlainContent } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import { type BotMessage, toBotMessage } from './bot-message-shape.ts';
import { getUnixSeconds } from '../../store/new-message.ts';
import type { Store } from '../../store/store.ts';

const OneMessage = z.object({ chat_id: parameter.chatId, message_id: parameter.messageId });
/** New content of an edit: text or blocks. */
export const NewContent = TextParameters.extend({
  rich_message: parameter.richMessage.optional(),
  reply_markup: parameter.keyboard,
});
const EditMessageText = OneMessage.extend(NewContent.shape);

/** editMessageText: replaces text or blocks. Removes the buttons without `reply_markup`, as Telegram does. */
export function editMessageText(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageText, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  return changeMessage(store, old, { ...applyNewContent(old, given), editDate: getUnixSeconds() });
}

const EditMessageReplyMarkup = OneMessage.extend({ reply_markup: parameter.keyboard });

/** editMessageReplyMarkup: changes or removes the buttons without marking the message as edited. */
export function editMessageReplyMarkup(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageReplyMarkup, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  return changeMessage(store, old, { ...old, keyboard: given.reply_markup });
}

/** Applies the text or blocks of an edit. Throws BotError 400 when both are given or the message has a file. */
export function applyNewContent(old: StoredMessage, given: z.output<typeof NewContent>): StoredMessage {
  if (old.fileId !== null) throw createBadRequest('there is no text in the message to edit');
  const { text, rich_message: rich, reply_markup: keyboard } = given;
  if (rich === undefined) return { ...old, ...toPlainContent(given), keyboard };
  if (text !== '') throw createBadRequest('exactly one of the parameters text and rich_message must be used');
  return { ...old, ...toRichContent(rich), keyboard };
}

/** Stores the new version of a message; null when nothing changes. */
export function changeContent(store: Store, old: StoredMessage, next: StoredMessage): StoredMessage | null {
  const isSame = (['text', 'entities', 'rich', 'keyboard'] as const).every(
    (field) => JSON.stringify(old[field]) === JSON.stringify(next[field]),
  );
  return isSame ? null : store.putMessage('edit', next);
}

function changeMessage(store: Store, old: StoredMessage, next: StoredMessage): BotMessage {
  const changed = changeContent(store, old, next);
  if (changed) return toBotMessage(store.state, store.bot, changed);
  throw createBadRequest(
    'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  );
}
