import type { Chat, Message, MessageEntity, RichMessage, User } from 'grammy/types';
import { type ButtonView, toButtonViews } from './button-view.ts';
import type { StoredMessage } from './entry.ts';
import { type FileView, toFileView, toMediaFields } from './file-shapes.ts';
import { BOT_NAME, GROUP, type Person, toUser } from './people.ts';
import type { State } from './state.ts';

/** A message as the person API shows it. */
export interface MessageView {
  readonly messageId: number;
  readonly chatId: number;
  readonly from: { readonly id: number; readonly name: string; readonly isBot: boolean };
  /** The words of a rich message too, as plain text; the caption of a file. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** The blocks of a rich message, as the Bot API has them; null for a plain one. */
  readonly rich: RichMessage | null;
  /** The file that came with it; null without one. */
  readonly file: FileView | null;
  /** The same for all messages of an album; null outside of one. */
  readonly albumId: string | null;
  /** The keyboard below the message; buttons inside a rich message are in its blocks. */
  readonly buttons: readonly (readonly ButtonView[])[] | null;
  readonly replyTo: number | null;
  /** Unix seconds. */
  readonly date: number;
  readonly editedAt: number | null;
  readonly deleted: boolean;
  readonly seq: number;
}

/** A chat of a person as the person API lists it. */
export interface ChatView {
  readonly id: number;
  readonly title: string;
  readonly type: 'private' | 'group';
}

type KnownChat = Chat.PrivateChat | Chat.GroupChat;
/** A message of a private chat or a group: both kinds have a sender. */
export type BotMessage = Message & { readonly chat: KnownChat; readonly from: User };

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
export function toBotMessage(state: State, bot: User, message: StoredMessage): BotMessage {
  const own = toPlainMessage(state, bot, message);
  const replied = message.replyTo === null ? undefined : state.chats.get(message.chatId)?.get(message.replyTo);
  if (!replied || replied.deleted) return own;
  // The library wants `reply_to_message: undefined` inside, which exactOptionalPropertyTypes forbids to write.
  const inner = toPlainMessage(state, bot, replied) as Message as NonNullable<BotMessage['reply_to_message']>;
  return { ...own, reply_to_message: inner };
}

function toPlainMessage(state: State, bot: User, message: StoredMessage): BotMessage {
  const { keyboard } = message;
  return {
    ...toContent(state, message),
    message_id: message.messageId,
    from: toSender(state, bot, message.fromId),
    chat: findChat(state, message.chatId) ?? { ...GROUP },
    date: message.date,
    ...(message.editDate === null ? {} : { edit_date: message.editDate }),
    ...(keyboard === null ? {} : { reply_markup: { inline_keyboard: keyboard.map((row) => [...row]) } }),
  };
}

/** What a message says, in the fields that its kind has. */
function toContent(state: State, message: StoredMessage): Partial<Message> {
  if (message.rich !== null) return { rich_message: message.rich };
  const entities = [...message.entities];
  const file = message.fileId === null ? undefined : state.files.get(message.fileId);
  if (file) {
    return {
      ...toMediaFields(state, file),
      ...(message.text === '' ? {} : { caption: message.text }),
      ...(entities.length === 0 ? {} : { caption_entities: entities }),
      ...(message.albumId === null ? {} : { media_group_id: message.albumId }),
    };
  }
  return { text: message.text, ...(entities.length === 0 ? {} : { entities }) };
}

/** A stored message in the person API's shape. */
export function toMessageView(state: State, bot: User, message: StoredMessage): MessageView {
  const sender = toSender(state, bot, message.fromId);
  const file = message.fileId === null ? undefined : state.files.get(message.fileId);
  return {
    messageId: message.messageId,
    chatId: message.chatId,
    from: { id: sender.id, name: sender.first_name, isBot: sender.is_bot },
    text: message.text,
    entities: message.entities,
    rich: message.rich,
    file: file ? toFileView(file) : null,
    albumId: message.albumId,
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
