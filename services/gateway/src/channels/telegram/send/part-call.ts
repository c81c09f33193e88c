import { InputFile } from 'grammy';
import type { MessageEntity } from 'grammy/types';
import { toTarget } from '../chat-key.ts';
import type { TelegramApi } from '../client.ts';
import type { TelegramContent, TelegramPart, TelegramFile } from './encode.ts';
import { createEphemeralRef, type MessageRef } from '../message-ref.ts';
import type { RichBlock } from '../rich/rich-block.ts';
import type { EphemeralReader } from './whisper.ts';

/** Sends a part as a new message and returns its stored id. Throws the client's errors. */
export async function callSendMessage(
  api: TelegramApi,
  chatKey: string,
  part: TelegramPart,
  whisper: EphemeralReader | null = null,
): Promise<string> {
  const { chatId } = toTarget(chatKey);
  const options = { ...toSendOptions(chatKey, part), ...toWhisperOptions(whisper) };
  const message =
    part.form === 'rich'
      ? await api.sendRichMessage(chatId, toRichMessage(part), options)
      : await api.sendMessage(chatId, part.text, { ...options, ...toTextOptions(part) });
  return toStoredRef(message, whisper);
}

/** Sends a file as a document and returns its stored id. Throws the client's errors. */
export async function callSendFile(
  api: TelegramApi,
  chatKey: string,
  part: TelegramFile,
  bytes: Uint8Array,
  whisper: EphemeralReader | null = null,
): Promise<string> {
  const { chatId, thread } = toTarget(chatKey);
  const message = await api.sendDocument(chatId, new InputFile(bytes, part.name), {
    ...thread,
    ...(part.caption === '' ? {} : { caption: part.caption }),
    // Keeps documents from becoming pictures or videos by their names.
    disable_content_type_detection: true,
    ...toWhisperOptions(whisper),
  });
  return toStoredRef(message, whisper);
}

function toWhisperOptions(whisper: EphemeralReader | null) {
  if (!whisper) return {};
  const { userId, answers } = whisper;
  return {
    ephemeral_message_parameters: { receiver_user_id: userId },
    ...(answers === null ? {} : { reply_parameters: { ephemeral_message_id: answers } }),
  };
}

/** A server without ephemeral messages returns an ordinary number. */
function toStoredRef(
  message: { readonly message_id: number; readonly ephemeral_message_id?: number },
  whisper: EphemeralReader | null,
): string {
  const { message_id: id, ephemeral_message_id: ephemeralId } = message;
  return whisper && ephemeralId !== undefined ? createEphemeralRef(whisper.userId, ephemeralId) : String(id);
}

function toSendOptions(chatKey: string, part: TelegramPart) {
  const { thread } = toTarget(chatKey);
  return {
    ...thread,
    ...toSendMarkup(part),
    // The message is sent even if the message that it replies to was deleted.
    ...(part.replyTo === null
      ? {}
      : { reply_parameters: { message_id: part.replyTo, allow_sending_without_reply: true } }),
  };
}

/** Edits a message into the part, in either form. Throws the client's errors. */
export async function callEditMessage(api: TelegramApi, ref: SentRef, part: TelegramPart): Promise<void> {
  const content = part.form === 'rich' ? toRichMessage(part) : part.text;
  const options = { ...toMarkup(part), ...(part.form === 'rich' ? {} : toTextOptions(part)) };
  if (ref.kind === 'message') await api.editMessageText(ref.chatId, ref.id, content, options);
  else await api.editEphemeralMessageText(ref.chatId, ref.userId, ref.id, content, options);
}

export async function callDeleteMessage(api: TelegramApi, ref: SentRef): Promise<void> {
  if (ref.kind === 'message') await api.deleteMessage(ref.chatId, ref.id);
  else await api.deleteEphemeralMessage(ref.chatId, ref.userId, ref.id);
}

export async function callRemoveButtons(api: TelegramApi, ref: SentRef): Promise<void> {
  const none = { reply_markup: { inline_keyboard: [] } };
  if (ref.kind === 'message') await api.editMessageReplyMarkup(ref.chatId, ref.id, none);
  else await api.editEphemeralMessageReplyMarkup(ref.chatId, ref.userId, ref.id, none);
}

type SentRef = Exclude<MessageRef, { kind: 'none' }>;

/** Shows a draft with a Stop button; it stays until the next message. */
export async function callSendDraft(
  api: TelegramApi,
  chatKey: string,
  draftId: number,
  content: TelegramContent,
): Promise<void> {
  const { chatId, thread } = toTarget(chatKey);
  const options = { ...thread, can_stop: true, keep_on_stop: true };
  if (content.form === 'text')
    await api.sendMessageDraft(chatId, draftId, content.text, { ...options, entities: toEntities(content) });
  // The blocks hold no uploads, which drafts cannot take.
  else await api.sendRichMessageDraft(chatId, draftId, toRichMessage(content) as WithoutUpload, options);
}

type WithoutUpload = Parameters<TelegramApi['sendRichMessageDraft']>[2];

/** Telegram accepts either buttons or a forced reply; `selective` limits the reply to the sender. */
function toSendMarkup(part: TelegramPart) {
  if (part.keyboard.length > 0 || !part.asksReply) return toMarkup(part);
  return { reply_markup: { force_reply: true as const, selective: true } };
}

function toMarkup({ keyboard }: TelegramPart) {
  return keyboard.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {};
}

function toTextOptions(content: Extract<TelegramContent, { form: 'text' }>) {
  return {
    entities: toEntities(content),
    // Telegram fetches previewed addresses, and a text could leak a secret that way.
    link_preview_options: { is_disabled: true },
  };
}

/** Casts the entities: grammY declares one type per kind and a mutable list. */
function toEntities({ entities }: Extract<TelegramContent, { form: 'text' }>): MessageEntity[] {
  return entities as unknown as MessageEntity[]; // the formatter made each with the fields of its kind
}

/** Sends blocks instead of `html` or `markdown`, in which a text could add buttons and images of its own. */
function toRichMessage({ blocks, rightToLeft }: Extract<TelegramContent, { form: 'rich' }>) {
  return {
    blocks: blocks as RichBlock[], // nothing changes the list
    // Links are marked already, and a mention in a model's text must not notify anybody.
    skip_entity_detection: true,
    ...(rightToLeft ? { is_rtl: true } : {}),
  };
}
