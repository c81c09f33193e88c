/*
 * A person's key is a Telegram id, which is a number, or `<channel>-<id>`. The key of a chat is `<channel>:<chat>`, and in a topic of it
 * `<channel>:<chat>/<topic>`: a topic is a conversation of its own.
 */

/** The channel that a chat belongs to. */
export function getChannel(chatKey: string): string {
  return chatKey.split(':', 1)[0] ?? '';
}

/** The channel of a person's key; null for what is no such key. */
export function findUserChannel(userKey: string): string | null {
  if (/^[1-9]\d{0,19}$/.test(userKey)) return 'telegram';
  return /^([a-z]+)-\S+$/.exec(userKey)?.[1] ?? null;
}

/** The key of a person's private chat with us, where we may write once they wrote there. As `private_chat` in the database. */
export function toPrivateChat(userKey: string): string {
  return /^\d+$/.test(userKey) ? `telegram:${userKey}` : userKey.replace('-', ':');
}
