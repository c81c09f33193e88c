import { getTopic } from '../chat-key.ts';

/*
 * A person has one main chat on the web, `web:<person>`, and may open sessions beside it, `web:<person>/<session>`: each is a
 * conversation of its own. They write there as `web-<person>`, whichever identity they signed in with.
 */

/** What a session may be named. The main one has a name too, for pages. */
export const SESSION_NAME = /^[a-z0-9-]{1,40}$/;
const MAIN = 'main';

/** The key of the chat of one session. */
export function toChatKey(person: string, session: string = MAIN): string {
  const chat = userKeyOf(person).replace('-', ':');
  return session === MAIN ? chat : `${chat}/${session}`;
}

/** The identity under which a person writes here. */
export function userKeyOf(person: string): string {
  return person.startsWith('web-') ? person : `web-${person}`;
}

/** The session of a chat, as it stands in frames. */
export function sessionOf(chatKey: string): string {
  return getTopic(chatKey) ?? MAIN;
}
