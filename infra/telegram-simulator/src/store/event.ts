import type { InlineKeyboardButton, MessageEntity, RichMessage } from 'grammy/types';
import { z } from 'zod';
import { Person } from './people.ts';

export type Keyboard = readonly (readonly InlineKeyboardButton[])[];

const seq = z.int().nonnegative();

// Already validated on arrival; only the simulator writes the log.
const richMessage = z.custom<RichMessage>((value) => typeof value === 'object' && value !== null);

/** Status of the bot in the group. */
export const BotStatus = z.enum(['member', 'administrator', 'kicked']);
export type BotStatus = z.infer<typeof BotStatus>;

/** Current version of a message; each change stores it again with a new `seq`. Fields with defaults are missing in older logs. */
export const StoredMessage = z.object({
  chatId: z.int(),
  messageId: z.int(),
  fromId: z.int(),
  /** In Unix seconds, as in the Bot API. */
  date: z.int(),
  /** For a rich message, its plain text. */
  text: z.string(),
  entities: z.custom<readonly MessageEntity[]>(Array.isArray),
  rich: richMessage.nullable().default(null),
  /** The document, photo or voice that `text` describes. */
  fileId: z.string().nullable().default(null),
  /** Common id of the messages of one album. */
  albumId: z.string().nullable().default(null),
  keyboard: z.custom<Keyboard>(Array.isArray).nullable(),
  replyTo: z.int().nullable(),
  /** Forum topic; null in the general topic and private chats. */
  topicId: z.int().nullable().default(null),
  /** Visible only to its author and receiver; `messageId` then is the Bot API's ephemeral_message_id. */
  ephemeral: z.object({ receiverId: z.int() }).nullable().default(null),
  /** Original author and time of a forwarded message. */
  forward: z.object({ fromId: z.int(), date: z.int() }).nullable().default(null),
  /** Unix seconds of the last text edit; keyboard changes do not count. */
  editDate: z.int().nullable(),
  deleted: z.boolean(),
  seq,
});
export type StoredMessage = Readonly<z.infer<typeof StoredMessage>>;

/** An update that the bot has not confirmed. `position` is the arrival order; an injected update may have any id. */
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

export const StoredCommand = z.object({
  command: z.string(),
  description: z.string(),
  is_ephemeral: z.literal(true).optional(),
});
export type StoredCommand = Readonly<z.infer<typeof StoredCommand>>;

/** State of a person's private chat with the bot. */
export const PrivateChat = z.object({ personId: z.int(), started: z.boolean(), blocked: z.boolean() });
export type PrivateChat = Readonly<z.infer<typeof PrivateChat>>;

/** Metadata of a sent file; the contents are stored beside the log. */
export const StoredFile = z.object({
  fileId: z.string(),
  uniqueId: z.string(),
  kind: z.enum(['document', 'photo', 'voice']),
  name: z.string(),
  mimeType: z.string(),
  sizeBytes: z.int().nonnegative(),
  /** Pixels, for photos only. */
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationSeconds: z.int().nullable(),
  /** Download path for bots. */
  path: z.string(),
  /** False when only the size is known, because test files may be too large to store. */
  hasBytes: z.boolean(),
});
export type StoredFile = Readonly<z.infer<typeof StoredFile>>;

/** Destination of updates, instead of getUpdates. */
export const Webhook = z.object({ url: z.string(), secretToken: z.string(), maxConnections: z.int().positive() });
export type Webhook = Readonly<z.infer<typeof Webhook>>;

/** One line of the log; the last line about a record wins. */
export const StoreEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('counters'), updateId: z.int(), messageId: z.int(), position: z.int(), seq }),
  z.object({ kind: z.literal('person'), person: Person }),
  z.object({ kind: z.literal('contact'), contact: PrivateChat }),
  z.object({ kind: z.literal('message'), message: StoredMessage }),
  // Written by earlier releases; topics are fixed now.
  z.object({ kind: z.literal('topic') }),
  z.object({ kind: z.literal('botStatus'), status: BotStatus }),
  z.object({ kind: z.literal('file'), file: StoredFile }),
  z.object({ kind: z.literal('update'), item: QueuedUpdate }),
  z.object({ kind: z.literal('confirmed'), positions: z.array(z.int()) }),
  z.object({ kind: z.literal('allowedUpdates'), allowed: z.array(z.string()) }),
  z.object({ kind: z.literal('webhook'), webhook: Webhook.nullable() }),
  z.object({ kind: z.literal('commands'), key: z.string(), commands: z.array(StoredCommand) }),
  z.object({ kind: z.literal('profile'), key: z.string(), value: z.string() }),
  z.object({ kind: z.literal('click'), click: Click }),
]);
export type StoreEvent = z.infer<typeof StoreEvent>;
