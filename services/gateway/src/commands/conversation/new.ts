import type { ChatCommand } from '../chat-command.ts';

/** The words behind it are a message of their own. */
export default {
  name: 'new',
  who: 'viewer',
  forPrograms: true,
  personal: false,
  menu: { place: 10, description: 'menu.new' },
  help: 'help.new',
  answer: null,
} satisfies ChatCommand;
