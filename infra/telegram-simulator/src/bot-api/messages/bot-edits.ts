import { z } from 'zod';
import { requireOwnMessage } from '../bot-access.ts';
import { badRequest } from '../../bot-error.ts';
import { PlainText, toRichContent, toPlainContent } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import { type BotMessage, toBotMessage } from './bot-message-shape.ts';
import { nowSeconds } from '../../store/new-message.ts';
import type { Store } from '../../store/store.ts';

const OneMessage = z.object({ chat_id: parameter.chatId, message_id: parameter.messageId });
/** What an edit of a text says: another text, or blocks. */
export const NewText = PlainText.extend({
  rich_message: parameter.richMessage.optional(),
  reply_markup: parameter.keyboard,
});
const EditMessageText = OneMessage.extend(NewText.shape);

/** editMessageText: a text becomes another one, or blocks. Without reply_markup the buttons go, as in Telegram. */
export function editMessageText(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageText, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  return changeMessage(store, old, { ...readNewText(old, given), editDate: nowSeconds() });
}

const EditMessageReplyMarkup = OneMessage.extend({ reply_markup: parameter.keyboard });

/** editMessageReplyMarkup: changes or removes the buttons; the message does not show as edited. */
export function editMessageReplyMarkup(store: Store, parameters: Parameters): BotMessage {
  const given = parseParameters(EditMessageReplyMarkup, parameters);
  const old = requireOwnMessage(store, given.chat_id, given.message_id);
  return changeMessage(store, old, { ...old, keyboard: given.reply_markup });
}

/** A message with the text or the blocks of an edit. Throws BotError 400 for both, and for a message with a file. */
export function readNewText(old: StoredMessage, given: z.output<typeof NewText>): StoredMessage {
  if (old.fileId !== null) throw badRequest('there is no text in the message to edit');
  const { text, rich_message: rich, reply_markup: keyboard } = given;
  if (rich === undefined) return { ...old, ...toPlainContent(given), keyboard };
  if (text !== '') throw badRequest('exactly one of the parameters text and rich_message must be used');
  return { ...old, ...toRichContent(rich), keyboard };
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
