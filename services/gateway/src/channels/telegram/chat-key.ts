import { chatOf, topicOf } from '../chat-key.ts';

/** Where a call of the Bot API goes. `thread` is the number of a forum topic; a chat's general topic has none. */
export interface Target {
  readonly chatId: number;
  readonly thread: { readonly message_thread_id?: number };
}

/** Sending to the general topic by its number is refused; without a number it works. */
const GENERAL_TOPIC = 1;

/** The key of a Telegram chat, or of one of its topics, in our tables. */
export function toChatKey(chatId: number, topic: number | null = null): string {
  return topic === null || topic === GENERAL_TOPIC ? `telegram:${chatId}` : `telegram:${chatId}/${topic}`;
}

/** Reads what `toChatKey` wrote. */
export function toTarget(chatKey: string): Target {
  const topic = topicOf(chatKey);
  return {
    chatId: Number(chatOf(chatKey).slice('telegram:'.length)),
    thread: topic === null ? {} : { message_thread_id: Number(topic) },
  };
}

/** Telegram's address of a message of a large group, whose id begins with -100, for its members; null in other chats. */
export function linkToMessage(chatKey: string, messageId: string): string | null {
  const group = /^-100(\d+)$/.exec(String(toTarget(chatKey).chatId))?.[1];
  return group === undefined ? null : `https://t.me/c/${group}/${messageId}`;
}
