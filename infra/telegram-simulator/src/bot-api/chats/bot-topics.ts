import { badRequest } from '../bot-error.ts';
import type { Topic } from '../../store/topic.ts';
import { findTopic } from '../../store/topics.ts';
import type { Store } from '../../store/store.ts';

/** The topic that a call names, or null for none. Throws BotError 400 if the bot cannot write there. */
export function readTopic(store: Store, chat: number, given: number | undefined): Topic | null {
  if (given === undefined || given === 0) return null;
  const topic = findTopic(store, chat, given);
  // The general topic has no number that could be named, and a private chat has no topics.
  if (!topic) throw badRequest('message thread not found');
  return topic;
}
