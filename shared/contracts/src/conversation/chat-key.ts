/*
 * A user key is a Telegram id (a number) or `<channel>-<id>`. A chat key is `<channel>:<chat>` or, in a topic of a group,
 * `<channel>:<chat>/<topic>`: each topic is a conversation of its own.
 */

export function getChannel(chatKey: string): string {
  return chatKey.split(':', 1)[0] ?? '';
}

/** Returns the channel of a user key; null when the key is malformed. */
export function findUserChannel(userKey: string): string | null {
  if (/^[1-9]\d{0,19}$/.test(userKey)) return 'telegram';
  return /^([a-z]+)-\S+$/.exec(userKey)?.[1] ?? null;
}

/** Returns the chat key of a person's private chat with the bot. The SQL function `private_chat` must give equal results. */
export function toPrivateChat(userKey: string): string {
  return /^\d+$/.test(userKey) ? `telegram:${userKey}` : userKey.replace('-', ':');
}
