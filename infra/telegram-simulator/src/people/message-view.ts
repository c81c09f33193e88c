import type { MessageEntity, RichMessage, User } from 'grammy/types';
import { type ButtonView, toButtonViews } from './button-view.ts';
import { toSender } from './chat-shapes.ts';
import type { Service, StoredMessage } from '../store/event.ts';
import { type FileView, toFileView } from '../files/file-shapes.ts';
import type { State } from '../store/state.ts';

/** A message as the person API shows it. */
export interface MessageView {
  readonly messageId: number;
  readonly chatId: number;
  /** The topic of the forum; null in the general one and in private chats. */
  readonly topicId: number | null;
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
  /** What happened, in a message that nobody wrote; null otherwise. */
  readonly service: Service | null;
  /** Whom alone it is shown to, and the message whose place it takes for them; null for everybody. */
  readonly ephemeral: { readonly receiverId: number; readonly replaces: number | null } | null;
  /** Who wrote it first, if it was forwarded; null otherwise. */
  readonly forwardedFrom: { readonly id: number; readonly name: string } | null;
  /** Each emoji with who reacted with it, in the order of the first. */
  readonly reactions: readonly { readonly emoji: string; readonly fromIds: readonly number[] }[];
  /** The keyboard below the message; buttons inside a rich message are in its blocks. */
  readonly buttons: readonly (readonly ButtonView[])[] | null;
  readonly replyTo: number | null;
  /** Unix seconds. */
  readonly date: number;
  readonly editedAt: number | null;
  readonly deleted: boolean;
  readonly seq: number;
}

/** A stored message in the person API's shape. */
export function toMessageView(state: State, bot: User, message: StoredMessage): MessageView {
  const sender = toSender(state, bot, message.fromId);
  const file = message.fileId === null ? undefined : state.files.get(message.fileId);
  const { messageId, chatId, topicId, text, entities, rich, albumId, service, ephemeral } = message;
  const { replyTo, date, editDate, deleted, seq } = message;
  return {
    messageId,
    chatId,
    topicId,
    from: { id: sender.id, name: sender.first_name, isBot: sender.is_bot },
    text,
    entities,
    rich,
    file: file ? toFileView(file) : null,
    albumId,
    service,
    ephemeral,
    forwardedFrom: message.forward === null ? null : toAuthor(state, bot, message.forward.fromId),
    reactions: groupReactions(message),
    buttons: message.keyboard === null ? null : toButtonViews(message.keyboard),
    replyTo,
    date,
    editedAt: editDate,
    deleted,
    seq,
  };
}

function toAuthor(state: State, bot: User, id: number): { id: number; name: string } {
  return { id, name: toSender(state, bot, id).first_name };
}

function groupReactions({ reactions }: StoredMessage): { emoji: string; fromIds: number[] }[] {
  const byEmoji = new Map<string, number[]>();
  for (const { emoji, fromId } of reactions) byEmoji.set(emoji, [...(byEmoji.get(emoji) ?? []), fromId]);
  return [...byEmoji].map(([emoji, fromIds]) => ({ emoji, fromIds }));
}

/** Whether somebody in the chat sees a message: everybody, or the two whom an ephemeral one is between. */
export function isVisibleTo(
  message: Pick<MessageView, 'ephemeral'> & ({ readonly fromId: number } | { readonly from: { readonly id: number } }),
  personId: number | null,
): boolean {
  if (message.ephemeral === null) return true;
  const fromId = 'fromId' in message ? message.fromId : message.from.id;
  return personId === message.ephemeral.receiverId || personId === fromId;
}
