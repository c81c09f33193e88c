import type { Chat, InlineKeyboardButton, Message, MessageEntity, User } from 'grammy/types';
import type { Keyboard, StoredMessage } from './entry.ts';
import { BOT_NAME, GROUP, type Person, toUser } from './people.ts';
import type { State } from './state.ts';

/** A message as the person API shows it. */
export interface MessageView {
  readonly messageId: number;
  readonly chatId: number;
  readonly from: { readonly id: number; readonly name: string; readonly isBot: boolean };
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly buttons: readonly (readonly ButtonView[])[] | null;
  readonly replyTo: number | null;
  /** Unix seconds. */
  readonly date: number;
  readonly editedAt: number | null;
  readonly deleted: boolean;
  readonly seq: number;
}

export interface ButtonView {
  readonly text: string;
  /** The callback data; null for buttons that only open a link. */
  readonly data: string | null;
  readonly url?: string;
  readonly style?: string;
}

/** A chat of a person as the person API lists it. */
export interface ChatView {
  readonly id: number;
  readonly title: string;
  readonly type: 'private' | 'group';
}

type KnownChat = Chat.PrivateChat | Chat.GroupChat;
export type TextMessage = Message.TextMessage & { readonly chat: KnownChat; readonly from: User };

/** The chat of an id as the Bot API shows it; null if there is none. */
export function findChat(state: State, chatId: number): KnownChat | null {
  if (chatId === GROUP.id) return { ...GROUP };
  const person = state.people.get(chatId);
  if (!person) return null;
  const { first_name, username } = toUser(person);
  return { id: person.id, type: 'private', first_name, ...(username === undefined ? {} : { username }) };
}

/** The chats that a person sees. */
export function listChats(person: Person): ChatView[] {
  const own: ChatView = { id: person.id, title: BOT_NAME, type: 'private' };
  return person.inGroup ? [own, { ...GROUP }] : [own];
}

/** A stored message in the Bot API's shape, with the message it answers one level deep, as Telegram gives it. */
export function toBotMessage(state: State, bot: User, message: StoredMessage): TextMessage {
  const own = toPlainMessage(state, bot, message);
  const replied = message.replyTo === null ? undefined : state.chats.get(message.chatId)?.get(message.replyTo);
  if (!replied || replied.deleted) return own;
  // The library wants `reply_to_message: undefined` inside, which exactOptionalPropertyTypes forbids to write.
  const inner = toPlainMessage(state, bot, replied) as Message as NonNullable<TextMessage['reply_to_message']>;
  return { ...own, reply_to_message: inner };
}

function toPlainMessage(state: State, bot: User, message: StoredMessage): TextMessage {
  const { keyboard } = message;
  return {
    message_id: message.messageId,
    from: toSender(state, bot, message.fromId),
    chat: findChat(state, message.chatId) ?? { ...GROUP },
    date: message.date,
    text: message.text,
    ...(message.editDate === null ? {} : { edit_date: message.editDate }),
    ...(message.entities.length === 0 ? {} : { entities: [...message.entities] }),
    ...(keyboard === null ? {} : { reply_markup: { inline_keyboard: keyboard.map((row) => [...row]) } }),
  };
}

/** A stored message in the person API's shape. */
export function toMessageView(state: State, bot: User, message: StoredMessage): MessageView {
  const sender = toSender(state, bot, message.fromId);
  return {
    messageId: message.messageId,
    chatId: message.chatId,
    from: { id: sender.id, name: sender.first_name, isBot: sender.is_bot },
    text: message.text,
    entities: message.entities,
    buttons: message.keyboard === null ? null : toButtonViews(message.keyboard),
    replyTo: message.replyTo,
    date: message.date,
    editedAt: message.editDate,
    deleted: message.deleted,
    seq: message.seq,
  };
}

function toSender(state: State, bot: User, id: number): User {
  const person = state.people.get(id);
  if (person) return toUser(person);
  const { is_bot, first_name, username } = bot;
  return { id: bot.id, is_bot, first_name, ...(username === undefined ? {} : { username }) };
}

function toButtonViews(keyboard: Keyboard): ButtonView[][] {
  return keyboard.map((row) => row.map(toButtonView));
}

function toButtonView(button: InlineKeyboardButton): ButtonView {
  return {
    text: button.text,
    data: 'callback_data' in button ? button.callback_data : null,
    ...('url' in button ? { url: button.url } : {}),
    ...(button.style === undefined ? {} : { style: button.style }),
  };
}
