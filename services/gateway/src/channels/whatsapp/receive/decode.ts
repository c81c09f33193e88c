import { createHash } from 'node:crypto';
import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import { cleanFileName } from '@signalbox/contracts/file-name';
import { removeUnstorable } from '../../text/clean-text.ts';
import type { IncomingUpdate, UnsupportedContent } from '../../channel.ts';
import { isPhoneNumber, toChatKey, toUserKey } from '../chat-key.ts';
import { NO_BUTTON, parseButton } from '../send/button.ts';
import { type Media, Message, readValues, DeliveryStatus, type WebhookValue } from './payload.ts';

export interface DecodedWebhook {
  readonly updates: readonly IncomingUpdate[];
  readonly statuses: readonly DeliveryStatus[];
  /** Problems of the number or account, as Meta describes them. */
  readonly problems: readonly unknown[];
}

/** Decodes a webhook for one phone number, ignoring other numbers of the app. Never throws. */
export function decodeWebhook(raw: unknown, phoneNumberId: string): DecodedWebhook {
  const { values, unread: lost } = readValues(raw);
  const ours = values.filter(({ metadata }) => metadata.phone_number_id === phoneNumberId);
  return {
    updates: [
      ...ours.flatMap((value) => value.messages.map((message) => decodeMessage(message, value))),
      ...Array.from({ length: lost }, () => unread('part of a webhook')),
    ],
    statuses: ours.flatMap(({ statuses }) => statuses.flatMap((one) => DeliveryStatus.safeParse(one).data ?? [])),
    problems: ours.flatMap(({ errors }) => errors),
  };
}

const NOT_TEXT: ReadonlyMap<string, UnsupportedContent> = new Map([
  ['sticker', 'sticker'],
  ['location', 'place'],
  ['contacts', 'contact'],
  ['poll', 'poll'],
]);
/** System notices that a number may have another owner, with their reasons. Their names differ between API releases. */
const VACATED: ReadonlyMap<string, string> = new Map([
  ['user_changed_number', 'number given up'],
  ['customer_changed_number', 'number given up'],
  ['user_identity_changed', 'identity changed'],
  ['customer_identity_changed', 'identity changed'],
  ['user_changed_user_id', 'identity changed'],
]);
/** Ignored message types: notices, and changes without text. */
const SILENT = new Set(['reaction', 'revoke', 'request_welcome', 'ephemeral', 'system']);

function decodeMessage(raw: unknown, { contacts }: Pick<WebhookValue, 'contacts'>): IncomingUpdate {
  const parsed = Message.safeParse(raw);
  if (!parsed.success) return decodeUnread(raw, contacts);
  const message = parsed.data;
  const updateId =
    message.id.length <= 120 ? message.id : `sha256:${createHash('sha256').update(message.id).digest('hex')}`;
  const { from = message.system?.customer ?? message.system?.wa_id ?? '', type } = message;
  const vacated = VACATED.get(message.system?.type ?? '');
  if (vacated !== undefined && isPhoneNumber(from))
    return { kind: 'vacated', updateId, userKey: toUserKey(from), reason: vacated };
  if (!isPhoneNumber(from)) return unread('no phone number', updateId);
  if (SILENT.has(type)) return ignore(updateId, type);
  const sender = {
    ...describeSender(from, contacts),
    ...readMarks(message, contacts),
    updateId,
    at: toTime(message.timestamp),
    messageId: message.id,
  };
  if (message.edit) {
    const body = message.edit.message.text?.body;
    if (body === undefined) return ignore(updateId, 'edit without words');
    const written = {
      ...sender,
      messageId: message.edit.original_message_id,
      text: removeUnstorable(body),
      album: null,
    };
    const unseen = { ...written, kind: 'text', named: true, whisper: false, attachments: [] } as const;
    return { ...written, kind: 'edit', unseen };
  }
  const reply = message.interactive?.button_reply ?? message.interactive?.list_reply;
  if (reply) {
    // A foreign button, such as one of another program's template, counts as expired.
    const button = parseButton(reply.id) ?? NO_BUTTON;
    const messageId = message.context?.id ?? null;
    return { ...sender, ...button, kind: 'press', pressId: message.id, messageId };
  }
  const attachments = readAttachments(message);
  const words = message.text?.body ?? message.button?.text ?? attachments[0]?.caption;
  if (words === undefined && attachments.length === 0)
    return { ...sender, kind: 'not-text', what: NOT_TEXT.get(type) ?? 'other' };
  return {
    ...sender,
    kind: 'text',
    text: removeUnstorable(words ?? ''),
    named: true,
    whisper: false,
    attachments: attachments.map(({ attachment }) => attachment),
    album: null,
    ...readAnswered(message),
    ...(message.context?.forwarded || message.context?.frequently_forwarded ? { borrowed: 'forward' } : {}),
  };
}

/** Decodes a message of unknown shape; its author, if named, gets an answer that it was not read. */
function decodeUnread(raw: unknown, contacts: WebhookValue['contacts']): IncomingUpdate {
  const sum = `sha256:${createHash('sha256')
    .update(JSON.stringify(raw) ?? '')
    .digest('hex')}`;
  const from = Message.pick({ from: true }).safeParse(raw).data?.from ?? '';
  if (!isPhoneNumber(from)) return unread('malformed message', sum);
  const at = new Date().toISOString();
  return { ...describeSender(from, contacts), updateId: sum, at, messageId: sum, kind: 'not-text', what: 'other' };
}

/** Reads the values that identify the owner of the number. */
function readMarks(
  { from, from_user_id: sentBy, identity }: Message,
  contacts: WebhookValue['contacts'],
): { readonly marks?: Readonly<Record<string, string>> } {
  const contact = contacts.findLast(({ wa_id: wa }) => wa === from);
  const user = sentBy ?? contact?.user_id;
  const key = identity?.hash ?? contact?.identity_key_hash;
  if (user === undefined && key === undefined) return {};
  return { marks: { ...(user === undefined ? {} : { user }), ...(key === undefined ? {} : { key }) } };
}

function describeSender(from: string, contacts: WebhookValue['contacts']) {
  const name = contacts.findLast(({ wa_id: id }) => id === from)?.profile.name ?? '';
  return {
    userKey: toUserKey(from),
    chatKey: toChatKey(from),
    chatKind: 'private',
    name: removeUnstorable(name.slice(0, 100)).trim() || 'there',
  } as const;
}

/** Finds the bot's message that this one replies to: WhatsApp names the author. */
function readAnswered({ context, from }: Message): { readonly answers?: string } {
  return context?.id !== undefined && context.from !== from ? { answers: context.id } : {};
}

interface Attached {
  readonly attachment: Attachment;
  readonly caption: string | undefined;
}

function readAttachments({ document, image, audio, video }: Message): readonly Attached[] {
  const found = [
    document && describe('document', document),
    image && describe('photo', image),
    audio && describe(audio.voice ? 'voice' : 'audio', audio),
    video && describe('video', video),
  ];
  return found.filter((one) => one !== undefined);
}

/** Webhooks do not contain the size of a file. */
function describe(kind: Attachment['kind'], { id, filename, mime_type: type = '', caption }: Media): Attached {
  const mimeType = (type.split(';')[0] ?? '').replace(/[^\w.+/-]/g, '').slice(0, 120) || null;
  const name = filename === undefined ? null : cleanFileName(filename, kind);
  return { attachment: { kind, ref: id, name, mimeType, sizeBytes: null }, caption };
}

/** Bounded so that the time fits into a Date. */
function toTime(seconds = ''): string {
  const ms = Number(seconds) * 1_000;
  return new Date(ms > 0 && ms < 4_102_444_800_000 ? ms : Date.now()).toISOString();
}

function ignore(updateId: string | null, reason: string): IncomingUpdate {
  return { kind: 'ignored', updateId, reason, pressId: null };
}

/** Builds an update that may be for the bot but cannot be read. */
function unread(reason: string, updateId: string | null = null): IncomingUpdate {
  return { kind: 'ignored', updateId, reason, pressId: null, isUnread: true };
}
