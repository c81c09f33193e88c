/*
 * A user key is a Telegram id (a number) or `<channel>-<id>`. A chat key is `<channel>:<chat>`, or `<channel>:<chat>/<topic>` in a topic
 * of a group: each topic is its own conversation.
 */

export function getChannel(chatKey: string): string {
  return chatKey.split(':', 1)[0] ?? '';
}

/** The channel of a user key; null for a malformed key. */
export function findUserChannel(userKey: string): string | null {
  if (/^[1-9]\d{0,19}$/.test(userKey)) return 'telegram';
  return /^([a-z]+)-\S+$/.exec(userKey)?.[1] ?? null;
}

/** The chat key of a person's private chat with the bot. Keep equal to the SQL function `private_chat`. */
export function toPrivateChat(userKey: string): string {
  return /^\d+$/.test(userKey) ? `telegram:${userKey}` : userKey.replace('-', ':');
}
