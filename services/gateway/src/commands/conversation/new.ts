import type { ChatCommand } from '../chat-command.ts';

/** Text after the command becomes a message of its own. */
export default {
  name: 'new',
  who: 'viewer',
  forPrograms: true,
  personal: false,
  menu: { place: 10, description: 'menu.new' },
  help: 'help.new',
  answer: null,
} satisfies ChatCommand;
