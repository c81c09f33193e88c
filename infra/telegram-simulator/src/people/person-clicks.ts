import { randomUUID } from 'node:crypto';
import type { InaccessibleMessage } from 'grammy/types';
import { z } from 'zod';
import { toButtonViews } from '../store/button-view.ts';
import { stopDraft } from '../store/drafts.ts';
import { type BotMessage, toBotMessage } from '../bot-api/messages/bot-message-shape.ts';
import { findChat, toGroupChat } from '../store/chat-shapes.ts';
import { isVisibleTo } from './visibility.ts';
import { GROUP, toUser } from '../store/people.ts';
import {
  ActingPerson,
  resolveActingChat,
  PersonError,
  requireMember,
  requireMessage,
  requirePerson,
} from './person-access.ts';
import { listMessages, type Store } from '../store/store.ts';

export const PersonClick = ActingPerson.extend({
  messageId: z.int().nullable().default(null),
  /** Label or data of the button; without a message id, the newest message with it. */
  button: z.string().min(1).nullable().default(null),
  /** Sends other callback data, as an outdated or forged client does. */
  data: z.string().nullable().default(null),
})
  .refine(
    ({ button, data, messageId }) => (data === null ? button : messageId) !== null,
    'a click names a button, or data and messageId',
  )
  .transform(resolveActingChat);
type PersonClick = z.output<typeof PersonClick>;

/** Presses a button as a person, or sends the data of a forged client. */
export function clickFromPerson(
  store: Store,
  click: PersonClick,
): { readonly updateId: number | null; readonly callbackQueryId: string } {
  const person = requireMember(store, click.from, click.chatId);
  const { messageId, data } = findClicked(store, click);
  const { chatId } = click;
  const id = `${Date.now()}${randomUUID().replace(/\D/g, '').slice(0, 6)}`;
  store.commit({
    kind: 'click',
    click: { id, personId: person.id, chatId, messageId, atMs: Date.now(), answer: null },
  });
  const updateId = store.updates.add({
    callback_query: {
      id,
      from: toUser(person),
      message: toClickedMessage(store, chatId, messageId),
      chat_instance: String(chatId),
      data,
    },
  });
  return { updateId, callbackQueryId: id };
}

/** Presses Stop on the bot's draft as a person. */
export function stopFromPerson(store: Store, personId: number): { updateId: number | null; draftId: number } {
  const person = requirePerson(store, personId);
  const draftId = stopDraft(store, person.id);
  if (draftId === null) throw new PersonError(404, `Nothing that ${person.name} could stop is being written.`);
  const chat = findChat(store.state, person.id);
  if (chat?.type !== 'private') return { updateId: null, draftId };
  return { updateId: store.updates.add({ stopped_message_generation: { chat, draft_id: draftId } }), draftId };
}

function findClicked(store: Store, click: PersonClick): { messageId: number; data: string } {
  const { from, chatId, messageId, data } = click;
  if (data !== null && messageId !== null) return { messageId, data };
  const wanted = click.button ?? '';
  const candidates =
    messageId === null
      ? listMessages(store.state, chatId).filter((message) => isVisibleTo(message, from))
      : [requireMessage(store, chatId, messageId, from)];
  for (const message of candidates.reverse()) {
    const button = toButtonViews(message.keyboard ?? [])
      .flat()
      .find((one) => one.text === wanted || one.data === wanted);
    if (!button) continue;
    if (button.data === null) throw new PersonError(400, `The button "${button.text}" sends nothing to the bot.`);
    return { messageId: message.messageId, data: button.data };
  }
  throw new PersonError(404, `No message${messageId === null ? '' : ` ${messageId}`} has a button "${wanted}".`);
}

/** For a message that the bot cannot see, such as a forward in a group, the update contains only its id. */
function toClickedMessage(store: Store, chatId: number, messageId: number): BotMessage | InaccessibleMessage {
  const message = store.state.chats.get(chatId)?.get(messageId);
  const isForeign =
    message?.fromId !== store.bot.id && chatId === GROUP.id && store.state.botStatus !== 'administrator';
  if (message && !message.deleted && !isForeign) return toBotMessage(store.state, store.bot, message);
  return { chat: findChat(store.state, chatId) ?? toGroupChat(), message_id: messageId, date: 0 };
}
