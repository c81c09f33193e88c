import { z } from 'zod';
import type { StoredMessage } from '../store/event.ts';
import { isVisibleTo } from './visibility.ts';
import { GROUP, resolveChatName, type Person } from '../store/people.ts';
import type { Store } from '../store/store.ts';

/** A person asked for something a Telegram client would not do. `status` is the HTTP status to answer. */
export class PersonError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'PersonError';
    this.status = status;
  }
}

/** A chat as people name it. */
export const ChatName = z.union([z.int(), z.string().regex(/^(ops|-?\d+)$/, 'a chat is a number or "ops"')]);
type ChatName = z.infer<typeof ChatName>;

/** Who acts, and where; without a chat in the private one. */
export const Acting = z.strictObject({ from: z.int(), chat: ChatName.optional() });

/** The same with the id of the chat. */
export function findPlace<Given extends { readonly from: number; readonly chat?: ChatName | undefined }>({
  chat,
  ...given
}: Given): Omit<Given, 'chat'> & { readonly chatId: number } {
  return { ...given, chatId: resolveChatName(chat ?? given.from) };
}

/** The person of an id, or 404. */
export function requirePerson(store: Store, id: number): Person {
  const person = store.state.people.get(id);
  if (!person) throw new PersonError(404, `There is no person ${id}. POST /api/people {"id":…,"name":…} adds one.`);
  return person;
}

/** The person of an id if they are in this chat, or 403. */
export function requireMember(store: Store, personId: number, chatId: number): Person {
  const person = requirePerson(store, personId);
  const isMember = chatId === GROUP.id ? person.inGroup : chatId === person.id;
  if (!isMember) throw new PersonError(403, `${person.name} is not in chat ${chatId}.`);
  return person;
}

/** A message that is there for this person, or 404. */
export function requireMessage(store: Store, chatId: number, messageId: number, personId: number): StoredMessage {
  const message = store.state.chats.get(chatId)?.get(messageId);
  if (!message || message.deleted || !isVisibleTo(message, personId))
    throw new PersonError(404, `There is no message ${messageId} in chat ${chatId}.`);
  return message;
}
