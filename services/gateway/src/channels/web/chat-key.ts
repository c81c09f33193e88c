import { getTopic } from '../chat-key.ts';

/*
 * A person has one main chat on the web, `web:<person>`, and further sessions, `web:<person>/<session>`, each with its own
 * conversation. Their identity on the web is `web-<person>`, however they signed in.
 */

/** Valid names of sessions, including the main one. */
export const SESSION_NAME_PATTERN = /^[a-z0-9-]{1,40}$/;
const MAIN = 'main';

export function toChatKey(person: string, session: string = MAIN): string {
  const chat = toUserKey(person).replace('-', ':');
  return session === MAIN ? chat : `${chat}/${session}`;
}

export function toUserKey(person: string): string {
  return person.startsWith('web-') ? person : `web-${person}`;
}

/** The session of a chat, as named in frames. */
export function getSession(chatKey: string): string {
  return getTopic(chatKey) ?? MAIN;
}
