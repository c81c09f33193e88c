/*
 * A chat key is `<channel>:<chat>`, and in a topic of that chat `<channel>:<chat>/<topic>`. A topic is a conversation of its own;
 * what concerns the chat (being let in, its pace, a new id) concerns all of its topics.
 */

/** The key of the chat that a topic belongs to; of a chat its own. */
export function chatOf(chatKey: string): string {
  return chatKey.split('/', 1)[0] ?? chatKey;
}

/** The topic's own part of a key, or null for a chat. */
export function topicOf(chatKey: string): string | null {
  const at = chatKey.indexOf('/');
  return at === -1 ? null : chatKey.slice(at + 1);
}

/** The same topic, if any, of a chat that goes on under another key. */
export function movedKey(chatKey: string, newChat: string): string {
  const topic = topicOf(chatKey);
  return topic === null ? newChat : `${chatOf(newChat)}/${topic}`;
}
