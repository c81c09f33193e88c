import { stripTopic, getTopic } from '../chat-key.ts';

/** The target of a Bot API call. `thread` is the number of a forum topic; the general topic has none. */
export interface CallTarget {
  readonly chatId: number;
  readonly thread: { readonly message_thread_id?: number };
}

/** The Bot API refuses the number of the general topic, so messages there name no topic. */
const GENERAL_TOPIC = 1;

export function toChatKey(chatId: number, topic: number | null = null): string {
  return topic === null || topic === GENERAL_TOPIC ? `telegram:${chatId}` : `telegram:${chatId}/${topic}`;
}

export function toTarget(chatKey: string): CallTarget {
  const topic = getTopic(chatKey);
  return {
    chatId: Number(stripTopic(chatKey).slice('telegram:'.length)),
    thread: topic === null ? {} : { message_thread_id: Number(topic) },
  };
}

/** Telegram's link to a message of a large group (its id begins with -100), which members can open; null in other chats. */
export function linkToMessage(chatKey: string, messageId: string): string | null {
  const group = /^-100(\d+)$/.exec(String(toTarget(chatKey).chatId))?.[1];
  return group === undefined ? null : `https://t.me/c/${group}/${messageId}`;
}
