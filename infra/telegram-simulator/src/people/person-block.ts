import { notifyBotStatus } from '../bot-api/chats/bot-rights.ts';
import { requirePerson } from './person-access.ts';
import type { Store } from '../store/store.ts';

/** Blocks or unblocks the bot. Idempotent. */
export function blockFromPerson(
  store: Store,
  personId: number,
  blocked: boolean,
): { readonly updateId: number | null } {
  const person = requirePerson(store, personId);
  const contact = store.contactOf(person.id);
  if (contact.blocked === blocked) return { updateId: null };
  store.commit({ kind: 'contact', contact: { ...contact, blocked } });
  store.announce({ kind: 'people' });
  const [before, after] = blocked ? (['member', 'kicked'] as const) : (['kicked', 'member'] as const);
  return notifyBotStatus(store, { person, chatId: person.id, before, after });
}
