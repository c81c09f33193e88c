import type { StoredMessage } from './event.ts';
import type { Store } from './store.ts';

/** Required fields of a new message; all others default to those of a plain text. */
type Content = Pick<StoredMessage, 'chatId' | 'fromId' | 'text'> & Partial<Omit<StoredMessage, 'seq'>>;

/** Stores a new message with the next id and publishes it. */
export function putNewMessage(store: Store, content: Content): StoredMessage {
  return store.putMessage('message', {
    messageId: store.state.next.messageId,
    date: getUnixSeconds(),
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

/** Returns the content of a forwarded message; its first author is kept. */
export function toForwarded(
  message: StoredMessage,
): Pick<StoredMessage, 'text' | 'entities' | 'rich' | 'fileId' | 'keyboard' | 'forward'> {
  const { text, entities, rich, fileId, keyboard, fromId, date } = message;
  return { text, entities, rich, fileId, keyboard, forward: message.forward ?? { fromId, date } };
}

/** Removes all content of a deleted message, but keeps its id. */
export function toDeleted(message: StoredMessage): StoredMessage {
  return { ...message, text: '', entities: [], rich: null, fileId: null, keyboard: null, deleted: true };
}

/** Returns the current time in Unix seconds. */
export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
