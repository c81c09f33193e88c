import { z } from 'zod';
import { requireWritableChat } from '../bot-access.ts';
import { changeContent, NewContent, applyNewContent } from './bot-edits.ts';
import { createBadRequest } from '../../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import { toDeleted } from '../../store/new-message.ts';
import type { Store } from '../../store/store.ts';

const OneEphemeral = z.object({
  chat_id: parameter.chatId,
  receiver_user_id: parameter.acceptInteger('invalid receiver_user_id specified'),
  ephemeral_message_id: parameter.acceptInteger('ephemeral message identifier is not specified'),
});
const EditText = OneEphemeral.extend(NewContent.shape);

/** editEphemeralMessageText: replaces the text of an ephemeral message. Removes the buttons without `reply_markup`. */
export function editEphemeralMessageText(store: Store, parameters: Parameters): true {
  const given = parseParameters(EditText, parameters);
  const old = requireEphemeral(store, given);
  return change(store, old, applyNewContent(old, given));
}

const EditMarkup = OneEphemeral.extend({ reply_markup: parameter.keyboard });

/** editEphemeralMessageReplyMarkup: changes only the buttons. */
export function editEphemeralMessageReplyMarkup(store: Store, parameters: Parameters): true {
  const given = parseParameters(EditMarkup, parameters);
  const old = requireEphemeral(store, given);
  return change(store, old, { ...old, keyboard: given.reply_markup });
}

/** deleteEphemeralMessage: removes the message for its receiver. */
export function deleteEphemeralMessage(store: Store, parameters: Parameters): true {
  const message = requireEphemeral(store, parseParameters(OneEphemeral, parameters));
  store.putMessage('delete', toDeleted(message));
  return true;
}

/** Telegram returns true even without a change, because it does not know whether the message was seen. */
function change(store: Store, old: StoredMessage, next: StoredMessage): true {
  changeContent(store, old, next);
  return true;
}

function requireEphemeral(store: Store, given: z.output<typeof OneEphemeral>): StoredMessage {
  const chatId = requireWritableChat(store, given.chat_id);
  const message = store.state.chats.get(chatId)?.get(given.ephemeral_message_id);
  const isOwn =
    message !== undefined &&
    !message.deleted &&
    message.fromId === store.bot.id &&
    message.ephemeral?.receiverId === given.receiver_user_id;
  if (!isOwn) throw createBadRequest('MESSAGE_ID_INVALID');
  return message;
}
