import type { Service } from './event.ts';
import { putNewMessage } from './new-message.ts';
import type { Sent } from './sent-update.ts';
import { sendUpdate } from './sent-update.ts';
import { ICON_COLORS, type Topic } from './topic.ts';
import type { Store } from './store.ts';

/** A topic that is there, or null. */
export function findTopic(store: Store, chatId: number, topicId: number): Topic | null {
  const topic = store.state.topics.get(topicId);
  return topic && topic.chatId === chatId ? topic : null;
}

/** All topics of a chat, oldest first. */
export function listTopics(store: Store, chatId: number): Topic[] {
  return [...store.state.topics.values()].filter((topic) => topic.chatId === chatId);
}

/** Opens a topic: its first message says so, to the bot too. */
export function createTopic(
  store: Store,
  given: { chatId: number; creatorId: number; name: string; iconColor: number | undefined },
): { readonly topic: Topic; readonly updateId: number | null } {
  const { chatId, creatorId, name, iconColor = ICON_COLORS[0] } = given;
  const topicId = store.state.next.messageId;
  const topic: Topic = {
    topicId,
    chatId,
    name,
    iconColor,
    creatorId,
    date: Math.floor(Date.now() / 1000),
    isClosed: false,
  };
  store.commit({ kind: 'topic', topic });
  const { updateId } = announceService(store, topic, creatorId, { kind: 'topicCreated', name, iconColor });
  return { topic, updateId };
}

/** Renames, closes or opens a topic; what stays the same is not told. */
export function changeTopic(
  store: Store,
  topic: Topic,
  change: { readonly by: number; readonly name?: string | undefined; readonly isClosed?: boolean | undefined },
): void {
  const { by, name = topic.name, isClosed = topic.isClosed } = change;
  store.commit({ kind: 'topic', topic: { ...topic, name, isClosed } });
  if (name !== topic.name) announceService(store, topic, by, { kind: 'topicEdited', name });
  if (isClosed !== topic.isClosed) {
    announceService(store, topic, by, { kind: isClosed ? 'topicClosed' : 'topicReopened' });
  }
  store.announce({ kind: 'topics', chatId: topic.chatId });
}

function announceService(store: Store, topic: Topic, fromId: number, service: Service): Sent {
  const { chatId, topicId } = topic;
  const message = putNewMessage(store, { chatId, fromId, text: '', topicId, service });
  if (service.kind === 'topicCreated') store.announce({ kind: 'topics', chatId });
  return sendUpdate(store, 'message', message);
}
