import { isVisibleTo } from './visibility.js';

/** Not an animation frame: those stop in a tab behind others, whose title counts the unread. */
const FRAME_MS = 25;

/**
 * Collects changes of messages, because thousands may come in a second, and hands them over a few times in that time:
 * `onBatch` gets all of them.
 */
export function createChangeBatches(onBatch) {
  let changes = [];
  let timer = null;

  return {
    add(change) {
      changes.push(change);
      timer ??= setTimeout(flush, FRAME_MS);
    },
  };

  function flush() {
    const all = changes;
    changes = [];
    timer = null;
    onBatch(all);
  }
}

/** Those changes that are seen in a place. */
export function changesIn(changes, { person, chat, topic }) {
  return changes.filter(
    ({ message }) => message.chatId === chat.id && message.topicId === topic && isVisibleTo(message, person.id),
  );
}
