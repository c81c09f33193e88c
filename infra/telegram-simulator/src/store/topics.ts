import type { Topic } from './topic.ts';
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
