import { z } from 'zod';
import type { UnsupportedContent } from '../../channel.ts';
import { MessageEntities } from './entities.ts';

/* Only the fields of Telegram's updates that are used; other fields cannot make an update unreadable. */

const id = z.int();
/** Unix seconds, bounded so that they fit into a Date. */
const unixSeconds = z.int().min(0).max(4_102_444_800);

const TelegramUser = z.object({
  id,
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().default(''),
  /** The client's language, as an IETF tag. */
  language_code: z.string().max(35).optional().catch(undefined),
});
export type TelegramUser = z.infer<typeof TelegramUser>;

const Chat = z.object({ id, type: z.string() });

/** A reply thread has a number too; the flag marks a topic. */
const Topic = { message_thread_id: id.optional(), is_topic_message: z.boolean().optional() };

/** Loose, because the names of further fields show the kind of a message. */
export const Message = z.looseObject({
  message_id: id,
  /** Set for ephemeral messages in a group; then `message_id` is 0. */
  ephemeral_message_id: id.optional(),
  date: unixSeconds,
  edit_date: unixSeconds.optional().catch(undefined),
  chat: Chat,
  from: TelegramUser.optional(),
  ...Topic,
  text: z.string().optional(),
  caption: z.string().optional(),
  media_group_id: z.string().optional(),
  /** Set on forwards; only its presence counts. */
  forward_origin: z.unknown().optional(),
  is_automatic_forward: z.unknown().optional(),
  /** The bot that wrote the message for its sender. */
  via_bot: z.unknown().optional(),
  entities: MessageEntities.optional(),
  caption_entities: MessageEntities.optional(),
  /** The group or channel as which an anonymous sender writes. */
  sender_chat: z.object({ id }).optional().catch(undefined),
  migrate_to_chat_id: id.optional(),
  /** Messages in a topic reply to the topic's opening notice unless they reply to another message. */
  reply_to_message: z
    .object({
      message_id: z.number().optional(),
      from: TelegramUser.optional(),
      forum_topic_created: z.unknown().optional(),
    })
    .optional(),
});
export type Message = z.infer<typeof Message>;

export const CallbackQuery = z.object({
  id: z.string().min(1).max(100),
  from: TelegramUser,
  message: z.object({ message_id: id, ephemeral_message_id: id.optional(), chat: Chat, ...Topic }).optional(),
  data: z.string().optional(),
});

/** A person pressed Stop under a draft. Drafts exist only in private chats, so the chat is the person. */
export const StoppedGeneration = z.object({
  chat: TelegramUser.omit({ is_bot: true }).extend({ type: z.literal('private') }),
  message_thread_id: id.optional(),
});

export const MemberChange = z.object({ chat: Chat, new_chat_member: z.object({ status: z.string() }) });

/** An update. Exactly one field besides the id is set and determines the kind. */
export const Update = z.object({
  update_id: z.int().nonnegative(),
  message: z.unknown().optional(),
  edited_message: z.unknown().optional(),
  callback_query: z.unknown().optional(),
  my_chat_member: z.unknown().optional(),
  stopped_message_generation: z.unknown().optional(),
});

/** The kinds of updates requested from Telegram. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
  'stopped_message_generation',
] as const;

/** Content that is neither text nor a readable file, by field. Other messages without text are service messages. */
export const UNSUPPORTED_FIELDS: Readonly<Record<string, UnsupportedContent>> = {
  sticker: 'sticker',
  poll: 'poll',
  venue: 'place',
  location: 'place',
  contact: 'contact',
  story: 'story',
  checklist: 'checklist',
  dice: 'game',
  game: 'game',
  // Unreadable files and new kinds of content.
  animation: 'other',
  audio: 'other',
  document: 'other',
  live_photo: 'other',
  paid_media: 'other',
  photo: 'other',
  rich_message: 'other',
  video: 'other',
  video_note: 'other',
  voice: 'other',
};
