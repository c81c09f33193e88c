import { findChat } from './chat-shapes.ts';
import { nowSeconds } from '../store/new-message.ts';
import { toUser } from './people.ts';
import { requirePerson } from './person-access.ts';
import type { Store } from '../store/store.ts';

/** A person blocks the bot or lets it in again. Doing so twice changes nothing and tells nobody. */
export function blockFromPerson(store: Store, personId: number, blocked: boolean): { updateId: number | null } {
  const person = requirePerson(store, personId);
  const contact = store.contactOf(person.id);
  if (contact.blocked === blocked) return { updateId: null };
  store.commit({ kind: 'contact', contact: { ...contact, blocked } });
  store.announce({ kind: 'people' });
  const { id, is_bot, first_name, username } = store.bot;
  const user = { id, is_bot, first_name, username };
  const member = { user, status: 'member' } as const;
  const kicked = { user, status: 'kicked', until_date: 0 } as const;
  const chat = findChat(store.state, person.id);
  if (!chat) return { updateId: null };
  return {
    updateId: store.updates.add({
      my_chat_member: {
        chat,
        from: toUser(person),
        date: nowSeconds(),
        old_chat_member: blocked ? member : kicked,
        new_chat_member: blocked ? kicked : member,
      },
    }),
  };
}
