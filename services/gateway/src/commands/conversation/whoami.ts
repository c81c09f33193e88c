import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'whoami',
  who: 'viewer',
  forPrograms: true,
  personal: true,
  menu: { place: 90, description: 'menu.whoami' },
  help: 'help.whoami',
  answer: (_, __, { envelope, role }) => ({
    text: say('people.who-you-are', { name: toPlainName(envelope.name), userKey: envelope.userKey, role }),
  }),
} satisfies ChatCommand;
