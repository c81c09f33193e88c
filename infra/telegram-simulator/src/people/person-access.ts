import { z } from 'zod';
import type { StoredMessage } from '../store/event.ts';
import { isVisibleTo } from './visibility.ts';
import { GROUP, resolveChatName, type Person } from '../store/people.ts';
import type { Store } from '../store/store.ts';

/** A refused action of a person. `status` is the HTTP status. */
export class PersonError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'PersonError';
    this.status = status;
  }
}

/** A chat in the person API. */
export const ChatName = z.union([z.int(), z.string().regex(/^(ops|-?\d+)$/, 'a chat is a number or "ops"')]);
type ChatName = z.infer<typeof ChatName>;

/** Acting person and chat; the default is the private chat. */
export const ActingPerson = z.strictObject({ from: z.int(), chat: ChatName.optional() });

/** Replaces the chat of an action, such as "ops", by its id. */
export function resolveActingChat<Given extends { readonly from: number; readonly chat?: ChatName | undefined }>({
  chat,
  ...given
}: Given): Omit<Given, 'chat'> & { readonly chatId: number } {
  return { ...given, chatId: resolveChatName(chat ?? given.from) };
}

/** Returns a person by id. Throws PersonError 404. */
export function requirePerson(store: Store, id: number): Person {
  const person = store.state.people.get(id);
  if (!person) throw new PersonError(404, `There is no person ${id}. POST /api/people {"id":…,"name":…} adds one.`);
  return person;
}

/** Returns a member of a chat. Throws PersonError 403 for others. */
export function requireMember(store: Store, personId: number, chatId: number): Person {
  const person = requirePerson(store, personId);
  const isMember = chatId === GROUP.id ? person.inGroup : chatId === person.id;
  if (!isMember) throw new PersonError(403, `${person.name} is not in chat ${chatId}.`);
  return person;
}

/** Returns a message that this person sees. Throws PersonError 404. */
export function requireMessage(store: Store, chatId: number, messageId: number, personId: number): StoredMessage {
  const message = store.state.chats.get(chatId)?.get(messageId);
  if (!message || message.deleted || !isVisibleTo(message, personId))
    throw new PersonError(404, `There is no message ${messageId} in chat ${chatId}.`);
  return message;
}
