/*
 * A chat key is `<channel>:<chat>`, or `<channel>:<chat>/<topic>` for a topic. Each topic is a conversation of its own;
 * membership, rate limit and a new id concern the chat with all of its topics.
 */

export function stripTopic(chatKey: string): string {
  return chatKey.split('/', 1)[0] ?? chatKey;
}

/** The topic of a key; null for a chat. */
export function getTopic(chatKey: string): string | null {
  const at = chatKey.indexOf('/');
  return at === -1 ? null : chatKey.slice(at + 1);
}

/** The key of a chat or topic after the chat moved. */
export function toMovedKey(chatKey: string, newChat: string): string {
  const topic = getTopic(chatKey);
  return topic === null ? newChat : `${stripTopic(newChat)}/${topic}`;
}
