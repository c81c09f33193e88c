import type { ChatKind } from '@signalbox/contracts/conversation/envelope';
import { removeUnstorable } from '../../text/clean-text.ts';
import type { IncomingUpdate, TextUpdate } from '../../channel.ts';
import { parseButton } from '../send/button.ts';
import { toChatKey } from '../chat-key.ts';
import { readAttachments } from './file.ts';
import { createEphemeralRef } from '../message-ref.ts';
import { writeOutEntities, type WrittenText } from './entities.ts';
import {
  CallbackQuery,
  UNSUPPORTED_FIELDS,
  MemberChange,
  Message,
  StoppedGeneration,
  Update,
  type TelegramUser,
} from './update.ts';

export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Decodes an update of Telegram. Never throws: unusable updates are ignored with a reason. */
export function decodeUpdate(raw: unknown, bot: BotIdentity): IncomingUpdate {
  const parsed = Update.safeParse(raw);
  if (!parsed.success)
    return { kind: 'ignored', updateId: readUpdateId(raw), reason: 'not an update', pressId: null, isUnread: true };
  const { update_id, message, callback_query, my_chat_member, edited_message, stopped_message_generation } =
    parsed.data;
  const updateId = String(update_id);
  if (message !== undefined) return decodeMessage(updateId, message, bot);
  if (callback_query !== undefined) return decodePress(updateId, callback_query);
  if (my_chat_member !== undefined) return decodeMembership(updateId, my_chat_member);
  if (stopped_message_generation !== undefined) return decodeStop(updateId, stopped_message_generation);
  if (edited_message !== undefined) return decodeEdit(updateId, edited_message, bot);
  return ignore(updateId, 'unknown kind');
}

function decodeMessage(updateId: string, raw: unknown, bot: BotIdentity): IncomingUpdate {
  const parsed = Message.safeParse(raw);
  if (!parsed.success) return decodeUnread(updateId, raw);
  const message = parsed.data;
  if (message.migrate_to_chat_id !== undefined) {
    const to = toChatKey(message.migrate_to_chat_id);
    return { kind: 'moved', updateId, from: toChatKey(message.chat.id), to };
  }
  const chatKind = toChatKind(message.chat.type);
  if (!chatKind) return ignore(updateId, 'not a chat with people');
  if (message.is_automatic_forward === true) return ignore(updateId, 'post of the linked channel');
  if (chatKind === 'group' && message.sender_chat !== undefined)
    return decodeUnnamed(updateId, { ...message, senderChat: message.sender_chat }, bot);
  if (!message.from) return ignore(updateId, 'no sender');
  if (message.from.is_bot) return ignore(updateId, 'from a bot');
  const whisper = message.ephemeral_message_id !== undefined;
  const sender = {
    ...toSender(message.from),
    updateId,
    chatKind,
    chatKey: toChatKey(message.chat.id, readTopic(message)),
    at: toIso(message.date),
    messageId: whisper ? `e${message.ephemeral_message_id}` : String(message.message_id),
  };
  const attachments = readAttachments(message);
  const words = writeOutMessage(message, bot);
  if (words === null && attachments.length === 0) {
    const field = Object.keys(UNSUPPORTED_FIELDS).find((name) => Object.hasOwn(message, name));
    if (field === undefined) return ignore(updateId, 'service message');
    return { ...sender, kind: 'not-text', what: UNSUPPORTED_FIELDS[field] ?? 'other' };
  }
  const text = removeUnstorable(words?.text ?? '');
  const album = message.media_group_id === undefined ? null : removeUnstorable(message.media_group_id).slice(0, 80);
  const content = {
    text,
    attachments,
    album,
    ...findReplyTarget(message, bot),
    ...findBorrowed(message, words?.isDisguised === true),
    ...findCut(message),
  };
  if (chatKind === 'private') return { ...sender, ...content, kind: 'text', named: true, whisper: false };
  const addressed = parseGroupText(text, whisper || isReplyToBot(message, bot), bot);
  if (addressed) {
    // Only the bot's name asks for help; with a file, the message is about the file.
    const asked = addressed.text === '' && attachments.length === 0 ? '/help' : addressed.text;
    return { ...sender, ...content, ...addressed, kind: 'text', text: asked, whisper };
  }
  if (album !== null) return { ...sender, ...content, kind: 'album-part', album };
  const rest = { ...sender, ...content, kind: 'text', named: false, whisper: false, onlyRest: true } as const;
  return { ...ignore(updateId, 'not addressed'), ...(message.text === undefined ? {} : { rest }) };
}

/** Telegram's clients send a longer text in parts: phones cut at the last space or at this limit, Telegram Desktop in the second half. */
const CLIENT_CUT = 4_096;

function findCut({ text = '' }: Message): Pick<TextUpdate, 'cut'> {
  if (text.length <= CLIENT_CUT / 2) return {};
  return { cut: text.length === CLIENT_CUT ? '' : '\n' };
}

/** Decodes a message of unknown shape. Its author gets an answer only in private. */
function decodeUnread(updateId: string, raw: unknown): IncomingUpdate {
  const { chat, from } = Message.pick({ chat: true, from: true }).safeParse(raw).data ?? {};
  if (chat?.type !== 'private' || from?.is_bot !== false)
    return { ...ignore(updateId, 'malformed message'), isUnread: true };
  const [at, chatKey] = [new Date().toISOString(), toChatKey(chat.id)];
  const sender = { ...toSender(from), updateId, chatKind: 'private', chatKey, at, messageId: `u${updateId}` } as const;
  return { ...sender, kind: 'not-text', what: 'other' };
}

/** The text or caption with its entities written out; null when the message has neither. */
function writeOutMessage(
  { text, caption, entities, caption_entities: ofCaption }: Message,
  bot: BotIdentity,
): WrittenText | null {
  if (text !== undefined) return writeOutEntities(text, entities ?? [], bot);
  return caption === undefined ? null : writeOutEntities(caption, ofCaption ?? [], bot);
}

/** The bot cannot act for an anonymous sender, who writes as the group or a channel. The chat is told when addressed to the bot. */
function decodeUnnamed(
  updateId: string,
  message: Message & { readonly senderChat: { readonly id: number } },
  bot: BotIdentity,
): IncomingUpdate {
  const text = removeUnstorable(writeOutMessage(message, bot)?.text ?? '');
  const addressed = parseGroupText(text, isReplyToBot(message, bot), bot);
  if (!addressed) return ignore(updateId, 'not addressed');
  return {
    ...addressed,
    kind: 'unnamed',
    updateId,
    as: message.senderChat.id === message.chat.id ? 'group' : 'channel',
    chatKey: toChatKey(message.chat.id, readTopic(message)),
    at: toIso(message.date),
    messageId: String(message.message_id),
  };
}

/** Finds whether the text is not the sender's own: any forward field counts, and so do links that hide their target. */
function findBorrowed(
  message: Message,
  isDisguised: boolean,
): Pick<Extract<IncomingUpdate, { kind: 'text' }>, 'borrowed'> {
  const isForward = Object.keys(message).some(
    (field) => field.startsWith('forward_') || field === 'is_automatic_forward',
  );
  if (isForward) return { borrowed: 'forward' };
  if (message.via_bot !== undefined) return { borrowed: 'bot' };
  const entities = [...(message.entities ?? []), ...(message.caption_entities ?? [])];
  const isQuoted = isDisguised || entities.some(({ type }) => type.endsWith('blockquote'));
  return isQuoted ? { borrowed: 'quote' } : {};
}

function findReplyTarget(message: Message, bot: BotIdentity): { readonly answers?: string } {
  const id = message.reply_to_message?.message_id;
  return isReplyToBot(message, bot) && id !== undefined ? { answers: String(id) } : {};
}

/** The text without the bot's name; null when it is not for the bot, which as an administrator receives every message. */
function parseGroupText(
  text: string,
  repliesToBot: boolean,
  bot: BotIdentity,
): { readonly text: string; readonly named: boolean } | null {
  const command = /^\/\w+(?:@(\w+))?/.exec(text);
  const commandFor = command?.[1]?.toLowerCase();
  if (commandFor !== undefined && commandFor !== bot.username.toLowerCase()) return null;
  const mention = new RegExp(`@${bot.username}(?!\\w)`, 'gi');
  const mentioned = mention.test(text);
  if (!mentioned && !command && !repliesToBot) return null;
  const stripped = text.replace(mention, '').replace(/^[\s,:]+/, '');
  return { text: stripped.trimEnd(), named: mentioned || repliesToBot };
}

function decodePress(updateId: string, raw: unknown): IncomingUpdate {
  const parsed = CallbackQuery.safeParse(raw);
  if (!parsed.success) return ignore(updateId, 'malformed button press');
  const { id: pressId, from, message, data } = parsed.data;
  const button = parseButton(data ?? '');
  const chatKind = message && toChatKind(message.chat.type);
  if (!button || !message || !chatKind) {
    return { kind: 'ignored', updateId, reason: 'foreign button', pressId };
  }
  return {
    ...toSender(from),
    ...button,
    kind: 'press',
    updateId,
    chatKind,
    chatKey: toChatKey(message.chat.id, readTopic(message)),
    at: new Date().toISOString(),
    pressId,
    messageId:
      message.ephemeral_message_id === undefined
        ? String(message.message_id)
        : createEphemeralRef(from.id, message.ephemeral_message_id),
  };
}

/** Decodes the edited message like a new one. It counts as new when the bot has not seen it before and it may still be edited. */
function decodeEdit(updateId: string, raw: unknown, bot: BotIdentity): IncomingUpdate {
  const read = decodeMessage(updateId, raw, bot);
  if (read.kind === 'ignored' || read.kind === 'unnamed') return read;
  if (read.kind !== 'text' || read.messageId === null) return ignore(updateId, 'edit without words');
  const { named: _, attachments: __, whisper: ___, cut: ____, messageId, ...rest } = read;
  const { date, edit_date: editedAt } = Message.parse(raw);
  const at = editedAt === undefined ? read.at : toIso(editedAt);
  const isFresh = editedAt !== undefined && editedAt - date <= EDITABLE_SECONDS;
  return {
    ...rest,
    at,
    messageId,
    kind: 'edit',
    ...(isFresh ? { unseen: { ...read, at } } : {}),
  };
}

/** Telegram allows edits for two days. */
const EDITABLE_SECONDS = 49 * 3_600;

/** Decodes a press on the Stop button under a draft, which acts like /stop. */
function decodeStop(updateId: string, raw: unknown): IncomingUpdate {
  const parsed = StoppedGeneration.safeParse(raw);
  if (!parsed.success) return ignore(updateId, 'malformed stop');
  const { chat, message_thread_id: topic } = parsed.data;
  return {
    ...toSender(chat),
    kind: 'text',
    updateId,
    chatKind: 'private',
    chatKey: toChatKey(chat.id, topic),
    at: new Date().toISOString(),
    messageId: null,
    named: true,
    whisper: false,
    text: '/stop',
    attachments: [],
    album: null,
  };
}

function decodeMembership(updateId: string, raw: unknown): IncomingUpdate {
  const parsed = MemberChange.safeParse(raw);
  if (!parsed.success) return ignore(updateId, 'malformed membership');
  const { chat, new_chat_member } = parsed.data;
  const reachable = !['left', 'kicked'].includes(new_chat_member.status);
  const reason =
    chat.type === 'private' ? 'blocked by the person' : `the bot is ${removeUnstorable(new_chat_member.status)}`;
  return { kind: 'membership', updateId, chatKey: toChatKey(chat.id), reachable, reason };
}

function toChatKind(type: string): ChatKind | null {
  if (type === 'private') return 'private';
  return type === 'group' || type === 'supergroup' ? 'group' : null;
}

function readTopic(message: Pick<Message, 'message_thread_id' | 'is_topic_message'>): number | null {
  return message.is_topic_message === true ? (message.message_thread_id ?? null) : null;
}

function isReplyToBot({ reply_to_message: answered }: Message, bot: BotIdentity): boolean {
  return answered?.from?.id === bot.id && answered.forum_topic_created === undefined;
}

function toSender(person: Pick<TelegramUser, 'id' | 'first_name' | 'last_name' | 'language_code'>): {
  readonly userKey: string;
  readonly name: string;
  readonly language?: string;
} {
  const name = removeUnstorable(`${person.first_name} ${person.last_name}`).trim();
  const language = person.language_code === undefined ? {} : { language: removeUnstorable(person.language_code) };
  return { userKey: String(person.id), name: removeUnstorable(name.slice(0, 100)) || 'there', ...language };
}

function toIso(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}

function ignore(updateId: string, reason: string): Extract<IncomingUpdate, { kind: 'ignored' }> {
  return { kind: 'ignored', updateId, reason, pressId: null };
}

/** The update id of an unreadable update, so that the polling offset can pass it. */
function readUpdateId(raw: unknown): string | null {
  if (typeof raw !== 'object' || raw === null || !('update_id' in raw)) return null;
  return Number.isSafeInteger(raw.update_id) ? String(raw.update_id) : null;
}
