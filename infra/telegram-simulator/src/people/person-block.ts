import { findChat } from './chat-shapes.ts';
import { nowSeconds } from '../store/new-message.ts';
import { toUser } from './people.ts';
import { requirePerson } from './person-access.ts';
import type { World } from '../store/world.ts';

/** A person blocks the bot or lets it in again. Doing so twice changes nothing and tells nobody. */
export function blockFromPerson(world: World, personId: number, blocked: boolean): { updateId: number | null } {
  const person = requirePerson(world, personId);
  const contact = world.contactOf(person.id);
  if (contact.blocked === blocked) return { updateId: null };
  world.commit({ kind: 'contact', contact: { ...contact, blocked } });
  world.announce({ kind: 'people' });
  const { id, is_bot, first_name, username } = world.bot;
  const user = { id, is_bot, first_name, username };
  const member = { user, status: 'member' } as const;
  const kicked = { user, status: 'kicked', until_date: 0 } as const;
  const chat = findChat(world.state, person.id);
  if (!chat) return { updateId: null };
  return {
    updateId: world.updates.add({
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
