import * as words from '../../words.ts';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'whoami',
  who: 'viewer',
  personal: true,
  menu: { place: 90, description: 'menu.whoami' },
  help: 'help.whoami',
  answer: (_, __, { envelope, role }) => ({
    text: words.whoami({ name: envelope.name, userKey: envelope.userKey, role }),
  }),
} satisfies ChatCommand;
