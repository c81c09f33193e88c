import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listUsersByActivity } from '@signalbox/store/people/users';
import type { ChatCommand } from '../chat-command.ts';

/** As many people as fit on a phone. */
const MAX_PEOPLE = 50;

export default {
  name: 'users',
  who: 'admin',
  personal: true,
  menu: { place: 50, description: 'menu.users' },
  help: null,
  answer: async ({ db }) => {
    const now = Date.now();
    const people = await listUsersByActivity(db, MAX_PEOPLE);
    const lines = people.map(({ name, userKey, role, lastSeen }) => {
      const person = { name: toPlainName(name), userKey, role };
      if (lastSeen === null) return say('people.person-not-seen', person);
      return say('people.person-seen', { ...person, ago: sayDuration(now - lastSeen.getTime()) });
    });
    return { text: [say('people.seen', { count: people.length }), '', ...lines].join('\n') };
  },
} satisfies ChatCommand;
