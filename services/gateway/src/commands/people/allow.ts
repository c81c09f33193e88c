import type { ChatCommand } from '../chat-command.ts';
import { allowPerson, describeUsage, parseRole } from '../people-changes.ts';

export default {
  name: 'allow',
  asksWhenOld: true,
  who: 'admin',
  personal: true,
  menu: { place: 30, description: 'menu.allow' },
  help: 'help.allow',
  answer: (parts, typed, asked) => {
    const [id = '', ...others] = typed.split(/\s+/);
    const { role, name } = parseRole(others.join(' '));
    if (role === null) return { text: describeUsage('/allow <id> <role> [name]', others[0] ?? '') };
    return allowPerson(parts, asked, { id, role, name });
  },
} satisfies ChatCommand;
