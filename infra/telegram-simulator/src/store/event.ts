import type { InlineKeyboardButton, MessageEntity, RichMessage } from 'grammy/types';
import { z } from 'zod';
import { Person } from './people.ts';

/** Rows of buttons below a message, as the bot sent them. */
export type Keyboard = readonly (readonly InlineKeyboardButton[])[];

const seq = z.int().nonnegative();

// What was checked when it came in is not checked again: the log is written by nobody else.
const richMessage = z.custom<RichMessage>((value) => typeof value === 'object' && value !== null);

/** What the bot is in the group. */
export const BotStatus = z.enum(['member', 'administrator', 'kicked']);
export type BotStatus = z.infer<typeof BotStatus>;

/**
 * A message as it is now; every change writes it again with a new `seq`. What has a default came later than the first
 * logs.
 */
export const StoredMessage = z.object({
  chatId: z.int(),
  messageId: z.int(),
  fromId: z.int(),
  /** Unix seconds, because that is what the Bot API shows. */
  date: z.int(),
  /** The words of a rich message are here too, as plain text. */
  text: z.string(),
  entities: z.custom<readonly MessageEntity[]>(Array.isArray),
  rich: richMessage.nullable().default(null),
  /** The document, photo or voice that `text` is the caption of. */
  fileId: z.string().nullable().default(null),
  /** What the messages of one album have in common. */
  albumId: z.string().nullable().default(null),
  keyboard: z.custom<Keyboard>(Array.isArray).nullable(),
  replyTo: z.int().nullable(),
  /** The topic of the forum; null in the general one and in private chats. */
  topicId: z.int().nullable().default(null),
  /**
   * Seen only by the one who wrote it and by its receiver. At Telegram such a message has no id of its own in the chat; here
   * `messageId` is what the Bot API calls ephemeral_message_id.
   */
  ephemeral: z.object({ receiverId: z.int() }).nullable().default(null),
  /** Who wrote it first, and when, if it was forwarded. */
  forward: z.object({ fromId: z.int(), date: z.int() }).nullable().default(null),
  /** Unix seconds of the last change of the text; markup changes leave it alone, as clients show no "edited" then. */
  editDate: z.int().nullable(),
  deleted: z.boolean(),
  seq,
});
export type StoredMessage = Readonly<z.infer<typeof StoredMessage>>;

/** An update which waits for the bot. `position` is the order of arrival; an injected update may carry any id. */
export const QueuedUpdate = z.object({
  position: z.int(),
  injected: z.boolean(),
  update: z.record(z.string(), z.unknown()),
});
export type QueuedUpdate = Readonly<z.infer<typeof QueuedUpdate>>;

export const Click = z.object({
  id: z.string(),
  personId: z.int(),
  chatId: z.int(),
  messageId: z.int(),
  atMs: z.number(),
  answer: z.object({ text: z.string(), showAlert: z.boolean() }).nullable(),
});
export type Click = Readonly<z.infer<typeof Click>>;

export const Command = z.object({
  command: z.string(),
  description: z.string(),
  is_ephemeral: z.literal(true).optional(),
});
export type Command = Readonly<z.infer<typeof Command>>;

/** What a person did to their private chat with the bot. */
export const Contact = z.object({ personId: z.int(), started: z.boolean(), blocked: z.boolean() });
export type Contact = Readonly<z.infer<typeof Contact>>;

/** A file that was sent. Its bytes are beside the log. */
export const StoredFile = z.object({
  fileId: z.string(),
  uniqueId: z.string(),
  kind: z.enum(['document', 'photo', 'voice']),
  name: z.string(),
  mimeType: z.string(),
  sizeBytes: z.int().nonnegative(),
  /** Pixels, of photos. */
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationSeconds: z.int().nullable(),
  /** Where bots download it. */
  path: z.string(),
  /** False if only its size is known: people may send more than anybody wants to store. */
  hasBytes: z.boolean(),
});
export type StoredFile = Readonly<z.infer<typeof StoredFile>>;

/** Where updates are sent instead of waiting for getUpdates. */
export const Webhook = z.object({ url: z.string(), secretToken: z.string(), maxConnections: z.int().positive() });
export type Webhook = Readonly<z.infer<typeof Webhook>>;

/** One line of the log. Each states a fact about one record; the last line about a record wins. */
export const StoreEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('counters'), updateId: z.int(), messageId: z.int(), position: z.int(), seq }),
  z.object({ kind: z.literal('person'), person: Person }),
  z.object({ kind: z.literal('contact'), contact: Contact }),
  z.object({ kind: z.literal('message'), message: StoredMessage }),
  // Of earlier releases: the topics are always the same.
  z.object({ kind: z.literal('topic') }),
  z.object({ kind: z.literal('botStatus'), status: BotStatus }),
  z.object({ kind: z.literal('file'), file: StoredFile }),
  z.object({ kind: z.literal('update'), item: QueuedUpdate }),
  z.object({ kind: z.literal('confirmed'), positions: z.array(z.int()) }),
  z.object({ kind: z.literal('allowedUpdates'), allowed: z.array(z.string()) }),
  z.object({ kind: z.literal('webhook'), webhook: Webhook.nullable() }),
  z.object({ kind: z.literal('commands'), key: z.string(), commands: z.array(Command) }),
  z.object({ kind: z.literal('profile'), key: z.string(), value: z.string() }),
  z.object({ kind: z.literal('click'), click: Click }),
]);
export type StoreEvent = z.infer<typeof StoreEvent>;
