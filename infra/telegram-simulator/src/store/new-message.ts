import type { StoredMessage } from './event.ts';
import type { Store } from './store.ts';

/** What a message needs to say; the rest is as in a plain text. */
type Content = Pick<StoredMessage, 'chatId' | 'fromId' | 'text'> & Partial<Omit<StoredMessage, 'seq'>>;

/** Stores a new message with the next id and tells everyone who watches. */
export function putNewMessage(store: Store, content: Content): StoredMessage {
  return store.putMessage('message', {
    messageId: store.state.next.messageId,
    date: nowSeconds(),
    entities: [],
    rich: null,
    fileId: null,
    albumId: null,
    keyboard: null,
    replyTo: null,
    topicId: null,
    ephemeral: null,
    forward: null,
    editDate: null,
    deleted: false,
    ...content,
  });
}

/** What a forward takes along of a message. One that was a forward itself keeps its first author. */
export function toForwarded(
  message: StoredMessage,
): Pick<StoredMessage, 'text' | 'entities' | 'rich' | 'fileId' | 'keyboard' | 'forward'> {
  const { text, entities, rich, fileId, keyboard, fromId, date } = message;
  return { text, entities, rich, fileId, keyboard, forward: message.forward ?? { fromId, date } };
}

/** What is left of a message that was deleted: its place. */
export function toDeleted(message: StoredMessage): StoredMessage {
  return { ...message, text: '', entities: [], rich: null, fileId: null, keyboard: null, deleted: true };
}

/** The Bot API counts in Unix seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
