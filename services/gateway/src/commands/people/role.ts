import { Role } from '@signalbox/contracts/governance/roles';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { listUsers } from '@signalbox/store/people/users';
import type { ChatCommand } from '../chat-command.ts';
import { allowPerson, describeUsage } from '../people-changes.ts';

/** `/role <person> <role>` changes the role of a known person, by name or id. */
export default {
  name: 'role',
  asksWhenOld: true,
  who: 'admin',
  personal: true,
  menu: { place: 60, description: 'menu.role' },
  help: null,
  answer: async (parts, typed, asked) => {
    const words = typed.split(/\s+/);
    const role = Role.safeParse(words.at(-1)?.toLowerCase());
    const who = words.slice(0, -1).join(' ');
    if (!role.success || who === '') return { text: describeUsage('/role <person> <role>', words.at(-1) ?? '') };
    const all = await listUsers(parts.db);
    const byId = all.filter(({ userKey }) => userKey === who);
    const matches = byId.length > 0 ? byId : all.filter(({ name }) => name.toLowerCase() === who.toLowerCase());
    const [person] = matches;
    const name = toPlainName(who.slice(0, 80));
    if (!person) return { text: say('people.unknown', { name }) };
    if (matches.length > 1)
      return { text: say('people.ambiguous', { name, ids: matches.map(({ userKey }) => userKey).join(', ') }) };
    return allowPerson(parts, asked, { id: person.userKey, role: role.data, name: null });
  },
} satisfies ChatCommand;
